package dev.tandem.bench.strategies;

import dev.tandem.core.UsageException;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is trained. */
public enum StrategiesNetwork {
  CIFAR("cifar", 64),
  RESNET18("resnet18-small", 32),
  TRANSFORMER("transformer", 32);

  private final String code;
  private final int batch;

  StrategiesNetwork(String code, int batch) {
    this.code = code;
    this.batch = batch;
  }

  /** The name in options and results. */
  public String code() {
    return code;
  }

  /** Samples of a step, of all ranks together. */
  int batch() {
    return batch;
  }

  NetworkSpec spec() {
    return switch (this) {
      case CIFAR -> CaffeCifar.spec(10);
      case RESNET18 -> ResNet.small(18, 10);
      case TRANSFORMER -> TransformerEncoder.small(10);
    };
  }

  /** The network with this name. */
  public static StrategiesNetwork of(String code) {
    return Arrays.stream(values())
        .filter(network -> network.code.equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no network '%s' to measure: there are %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(StrategiesNetwork::code)
                                .collect(Collectors.joining(", ")))));
  }
}
