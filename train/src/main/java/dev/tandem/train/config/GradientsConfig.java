package dev.tandem.train.config;

import dev.tandem.nn.yaml.Default;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import java.util.List;
import java.util.stream.Stream;

/**
 * How gradients of ranks are brought together at levels fast and run.
 *
 * @param compression of what travels between ranks, as {@link Compression#of(String)} names it
 * @param smallest tensors with fewer elements are not compressed
 * @param rules exceptions for some tensors, each {@code NAME=COMPRESSION}; the first that fits
 *     decides
 */
public record GradientsConfig(
    @Default("sum") Reduction reduction,
    @Default("none") Compression compression,
    @Default("1024") long smallest,
    @Default("[]") List<CompressionRule.Clause> rules) {

  /** What becomes of the gradients of all ranks. */
  public enum Reduction {
    SUM,
    /** Parts on which ranks agree count once. */
    ADASUM
  }

  public GradientsConfig {
    rules = List.copyOf(rules);
    rule(reduction, compression, smallest, rules); // checks
  }

  /** The same for the synchronizer. */
  public GradientRule rule() {
    return rule(reduction, compression, smallest, rules);
  }

  /** Whether any gradient travels in another form. */
  boolean compresses() {
    return compressions().anyMatch(each -> !(each instanceof Compression.None));
  }

  /** Whether what compression leaves out of a gradient is added to the next one. */
  boolean leavesResiduals() {
    return compressions()
        .anyMatch(each -> !(each instanceof Compression.None || each instanceof Compression.Half));
  }

  private Stream<Compression> compressions() {
    return Stream.concat(
        Stream.of(compression), rules.stream().map(CompressionRule.Clause::compression));
  }

  private static GradientRule rule(
      Reduction reduction,
      Compression compression,
      long smallest,
      List<CompressionRule.Clause> rules) {
    return new GradientRule(
        switch (reduction) {
          case SUM -> Operation.SUM;
          case ADASUM -> Operation.ADASUM;
        },
        new CompressionRule(rules, compression, smallest));
  }
}
