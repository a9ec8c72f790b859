package dev.tandem.train;

import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.util.List;

/** Small networks on drawn digits. */
final class TestConfigs {

  private static final String DIGITS =
      """
      network: {model: digits}
      data: {train: unused, test: unused, normalise: {mean: 0.158, deviation: 0.211}}
      batch: {global: 64}
      optimizer: {kind: sgd, momentum: 0.9, weight-decay: 5e-4, nesterov: true}
      schedule: {kind: cosine, rate: 0.05, warmup-steps: 10}
      guard: {clip: 1}
      epochs: 2
      """;

  /** Everything in which bits could come to depend on the ranks. */
  private static final String NORMALISED =
      """
      network:
        input: [1, 28, 28]
        layers:
          - {name: conv1, type: convolution, filters: 4, kernel: 5, stride: 2, bias: false}
          - {name: norm1, type: batch-norm}
          - {name: relu1, type: relu}
          - {name: conv2, type: convolution, filters: 8, kernel: 3, stride: 2, bias: false}
          - {name: norm2, type: batch-norm}
          - {name: relu2, type: relu}
          - {name: flatten, type: flatten}
          - {name: dropout, type: dropout, probability: 0.2}
          - {name: scores, type: fully-connected, outputs: 10}
      """;

  private TestConfigs() {}

  static TrainingConfig digits(String... settings) {
    return ConfigFile.parse("test", DIGITS).with(List.of(settings)).config();
  }

  /** A network with batch normalisation and dropout. */
  static TrainingConfig normalised(String... settings) {
    String text = NORMALISED + DIGITS.substring(DIGITS.indexOf('\n') + 1);
    return ConfigFile.parse("test", text).with(List.of(settings)).config();
  }
}
