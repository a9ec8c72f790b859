package dev.tandem.bench.strategies;

import dev.tandem.core.UsageException;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
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

  /**
   * The same with smooth activations, and means in the place of maxima: so rounding stays as small
   * as it is. Where a ReLU begins or another place is the maximum, gradients jump.
   */
  NetworkSpec smooth() {
    NetworkSpec network = spec();
    return new NetworkSpec(
        network.input(),
        network.nodes().stream().map(StrategiesNetwork::smooth).toList(),
        network.outputs(),
        network.loss());
  }

  private static Node smooth(Node node) {
    LayerSpec layer =
        switch (node.layer()) {
          case Activation activation -> Activation.gelu(activation.name());
          case MaxPool pool -> new AveragePool(pool.name(), pool.window(), pool.ceil());
          case GlobalPool pool -> GlobalPool.average(pool.name());
          case LayerSpec other -> other;
        };
    return new Node(layer, node.inputs());
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
