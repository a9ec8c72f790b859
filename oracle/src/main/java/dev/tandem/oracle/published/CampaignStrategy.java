package dev.tandem.oracle.published;

import java.util.Arrays;
import java.util.Optional;

/** The ways to train that the campaign measured, as its files name them. */
public enum CampaignStrategy {
  DATA("data", false),
  SPATIAL("spatial", false),
  FILTER("filter", false),
  CHANNEL("channel", false),
  PIPELINE("pipeline", false),
  /** Filters within a node, samples between nodes. */
  DATA_FILTER("data+filter", true),
  /** Space within a node, samples between nodes. */
  DATA_SPATIAL("data+spatial", true);

  private final String word;
  private final boolean wholeNodes;

  CampaignStrategy(String word, boolean wholeNodes) {
    this.word = word;
    this.wholeNodes = wholeNodes;
  }

  /** As it is written in files. */
  public String word() {
    return word;
  }

  /** Whether it splits layers over the devices of a node and samples over nodes. */
  boolean wholeNodes() {
    return wholeNodes;
  }

  /** The strategy of this name. */
  static Optional<CampaignStrategy> named(String word) {
    return Arrays.stream(values()).filter(strategy -> strategy.word.equals(word)).findFirst();
  }
}
