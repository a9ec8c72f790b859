package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;

/** The key {@code loss}: how outputs are compared with targets. */
public enum TrainingLoss {
  /** By the targets of the data: cross-entropy for labels, mean-squared-error for values. */
  AUTO,
  CROSS_ENTROPY,
  MEAN_SQUARED_ERROR;

  /** The same for data whose targets are known. */
  TrainingLoss resolved(NetworkSpec network, FirstRecord first) {
    TrainingLoss ofNetwork =
        network.loss() == LossKind.MEAN_SQUARED_ERROR ? MEAN_SQUARED_ERROR : CROSS_ENTROPY;
    if (!first.known()) {
      return this == AUTO ? ofNetwork : this;
    }
    TrainingLoss ofData = first.values() > 0 ? MEAN_SQUARED_ERROR : CROSS_ENTROPY;
    if (this != AUTO && this != ofData) {
      throw new UsageException(
          ofData == CROSS_ENTROPY
              ? "loss is mean-squared-error, but the targets of data.train are labels: use"
                  + " cross-entropy, or import them as values (--types COLUMN=number)"
              : "loss is cross-entropy, but the targets of data.train are values: use"
                  + " mean-squared-error, or import them as classes (--types COLUMN=category)");
    }
    if (ofNetwork == MEAN_SQUARED_ERROR && ofData == CROSS_ENTROPY) {
      throw new UsageException(
          "network: its loss is %s, but data.train has a class for each sample: use %s"
              .formatted(network.loss().word(), LossKind.SOFTMAX_CROSS_ENTROPY.word()));
    }
    return ofData;
  }

  /** The network's own word for it. */
  LossKind kind() {
    return this == MEAN_SQUARED_ERROR
        ? LossKind.MEAN_SQUARED_ERROR
        : LossKind.SOFTMAX_CROSS_ENTROPY;
  }
}
