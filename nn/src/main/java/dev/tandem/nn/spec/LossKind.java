package dev.tandem.nn.spec;

import dev.tandem.nn.yaml.RecordYaml;

/** What a network's outputs are compared with, and how. */
public enum LossKind {
  /**
   * Minus the logarithm of the share that the softmax of the scores gives the label. A target is a
   * 64-bit integer for each sample.
   */
  SOFTMAX_CROSS_ENTROPY,

  /**
   * The mean over the outputs of the squared differences. A target is a row of as many numbers of
   * the network's type as the network has outputs.
   */
  MEAN_SQUARED_ERROR;

  /** The word for it in YAML. */
  public String word() {
    return RecordYaml.word(this);
  }
}
