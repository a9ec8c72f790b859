package dev.tandem.bench.train;

import dev.tandem.core.UsageException;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is trained, the same on all sides; {@code train_torch.py} knows them by their codes. */
public enum TrainNetwork {
  /** Caffe's network for CIFAR-10, 3x32x32. */
  CIFAR("cifar", 64, 64, 24, 60, 64, 5, 1_000, true),
  /** ResNet-18 for images of 32x32, which two cores train in reasonable time. */
  RESNET18("resnet18", 64, 32, 3, 20, 8, 1, 20, true),
  /** ResNet-18 as published, 3x224x224; by request only. */
  RESNET18_IMAGENET("resnet18-imagenet", 16, 8, 2, 10, 2, 1, 5, false);

  private final String code;
  private final int batch;
  private final int quickBatch;
  private final int steps;
  private final int pairs;
  private final int pairBatch;
  private final int warmUp;
  private final int rehearsal;
  private final boolean usual;

  TrainNetwork(
      String code,
      int batch,
      int quickBatch,
      int steps,
      int pairs,
      int pairBatch,
      int warmUp,
      int rehearsal,
      boolean usual) {
    this.code = code;
    this.batch = batch;
    this.quickBatch = quickBatch;
    this.steps = steps;
    this.pairs = pairs;
    this.pairBatch = pairBatch;
    this.warmUp = warmUp;
    this.rehearsal = rehearsal;
    this.usual = usual;
  }

  /** The name in options and results. */
  public String code() {
    return code;
  }

  /** The network with this name. */
  public static TrainNetwork of(String code) {
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
                                .map(TrainNetwork::code)
                                .collect(Collectors.joining(", ")))));
  }

  /** Whether it is measured if no network is named. */
  public boolean usual() {
    return usual;
  }

  /** Samples per rank and step. */
  int batch(boolean quick) {
    return quick ? quickBatch : batch;
  }

  /** Steps of a turn that count. */
  int steps() {
    return steps;
  }

  /**
   * Pairs of steps, with and without synchronisation, of a turn that finds out how much of it is
   * exposed: their difference is small beside the swings of the machine, so it takes many of them.
   */
  int pairs() {
    return pairs;
  }

  /**
   * Samples of a rank in such a step: gradients are as large whatever the batch, and shorter steps
   * swing less.
   */
  int pairBatch() {
    return pairBatch;
  }

  /** Steps before them that do not: caches were used by others meanwhile. */
  int warmUp() {
    return warmUp;
  }

  /** Steps with one sample, of several ranks before everything, that do not count either. */
  int rehearsal() {
    return rehearsal;
  }

  NetworkSpec spec() {
    return switch (this) {
      case CIFAR -> CaffeCifar.spec(10);
      case RESNET18 -> ResNet.small(18, 10);
      case RESNET18_IMAGENET -> ResNet.spec(18, 1000);
    };
  }
}
