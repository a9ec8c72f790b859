package dev.tandem.bench.gpu;

import dev.tandem.core.UsageException;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is trained; {@code train_torch_gpu.py} knows them by their codes. */
public enum GpuNetwork {
  /** ResNet-18 for images of 32x32. */
  RESNET18("resnet18", 40),
  /** ResNet-50 for images of 224x224. */
  RESNET50("resnet50", 12);

  private final String code;
  private final int steps;

  GpuNetwork(String code, int steps) {
    this.code = code;
    this.steps = steps;
  }

  /** The name in options and results. */
  public String code() {
    return code;
  }

  /** The network with this name. */
  public static GpuNetwork of(String code) {
    return Arrays.stream(values())
        .filter(network -> network.code.equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no network '%s' to measure on a GPU: there are %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(GpuNetwork::code)
                                .collect(Collectors.joining(", ")))));
  }

  /** Steps of a turn with large batches. */
  int steps() {
    return steps;
  }

  NetworkSpec spec() {
    return switch (this) {
      case RESNET18 -> ResNet.small(18, 10);
      case RESNET50 -> ResNet.spec(50, 1000);
    };
  }
}
