package dev.tandem.bench.oracle;

import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.NetworkSpec;

/**
 * One run that is projected and made.
 *
 * @param network by name
 * @param strategy as {@code --strategy} has it
 * @param batch samples of a step over all ranks
 */
record OracleCase(String network, String strategy, int ranks, int batch) {

  static NetworkSpec spec(String network) {
    return switch (network) {
      case "caffe-cifar" -> CaffeCifar.spec(10);
      case "resnet18-small" -> ResNet.small(18, 10);
      case "vgg-small" -> SmallVgg.spec();
      case "transformer" -> TransformerEncoder.small(10);
      default -> throw new IllegalArgumentException(network);
    };
  }

  NetworkSpec spec() {
    return spec(network);
  }

  @Override
  public String toString() {
    return "%s %s, %d ranks, batch %d".formatted(network, strategy, ranks, batch);
  }
}
