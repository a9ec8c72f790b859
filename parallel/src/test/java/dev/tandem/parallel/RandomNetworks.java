package dev.tandem.parallel;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.SplittableRandom;

/** Networks of random layers with random windows, groups and branches. */
final class RandomNetworks {

  /** Of more, attention takes gigabytes and minutes. */
  private static final long MOST_TOKENS = 700;

  private final SplittableRandom random;
  private NetworkBuilder network;
  private Shape shape;
  private int number;

  RandomNetworks(SplittableRandom random) {
    this.random = random;
  }

  NetworkSpec draw() {
    int dimensions = random.nextInt(4) == 0 ? 3 : 2;
    long[] extents = new long[dimensions + 1];
    extents[0] = random.nextLong(1, 6);
    for (int i = 1; i < extents.length; i++) {
      extents[i] = (dimensions == 3 ? 5 : 7) + random.nextLong(5);
    }
    shape = Shape.of(extents);
    network = new NetworkBuilder(shape);
    number = 0;
    add(new Convolution(name("conv"), 4 + random.nextInt(6), window(true).withDilation(1)));
    int layers = 2 + random.nextInt(5);
    for (int i = 0; i < layers; i++) {
      space();
    }
    return switch (random.nextInt(4)) {
      case 0 -> sequence();
      case 1 -> {
        add(new Flatten(name("flatten")));
        yield head();
      }
      case 2 -> {
        add(GlobalPool.average(name("average")));
        yield head();
      }
      default -> {
        add(GlobalPool.max(name("maximum")));
        yield head();
      }
    };
  }

  private String name(String kind) {
    return kind + number++;
  }

  private void space() {
    long channels = shape.extents().getFirst();
    switch (random.nextInt(13)) {
      case 0, 1, 2 ->
          tryAdd(
              new Convolution(
                  name("conv"), 3 + random.nextInt(8), window(true), 1, random.nextBoolean()));
      case 3 -> {
        int groups = channels % 3 == 0 ? 3 : channels % 2 == 0 ? 2 : 1;
        tryAdd(
            new Convolution(
                name("grouped"), groups * (2 + random.nextInt(3)), window(true), groups, true));
      }
      case 4 -> tryAdd(new MaxPool(name("max"), window(false), random.nextBoolean()));
      case 5 ->
          tryAdd(
              new AveragePool(name("mean"), window(false).withDilation(1), random.nextBoolean()));
      case 6 -> add(new BatchNorm(name("batch")));
      case 7 ->
          add(new GroupNorm(name("group"), channels % 3 == 0 ? 3 : channels % 2 == 0 ? 2 : 1));
      case 8 -> add(Activation.gelu(name("gelu")));
      case 9 -> add(new Dropout(name("drop"), 0.3));
      case 10 ->
          add(
              new LocalResponseNorm(
                  name("response"),
                  oddSize(),
                  0.5,
                  0.75,
                  1,
                  random.nextBoolean()
                      ? LocalResponseNorm.Across.CHANNELS
                      : LocalResponseNorm.Across.SPACE));
      case 11 -> {
        String before = network.last();
        String branch =
            network.add(new Convolution(name("side"), Math.toIntExact(channels), 3, 1, 1));
        String both = name("sum");
        network.add(
            new Add(both),
            random.nextBoolean()
                ? List.of(before, branch).toArray(String[]::new)
                : List.of(branch, before).toArray(String[]::new));
      }
      default -> {
        String before = network.last();
        String one =
            network.add(new Convolution(name("one"), 2 + random.nextInt(4), 1, 1, 0), before);
        String other =
            network.add(new Convolution(name("other"), 2 + random.nextInt(4), 3, 1, 1), before);
        String joined = name("joined");
        network.add(new Concatenation(joined), one, other, before);
        shape = with(network.channels(joined));
      }
    }
  }

  private Shape with(long channels) {
    long[] extents = shape.toArray();
    extents[0] = channels;
    return Shape.of(extents);
  }

  private NetworkSpec sequence() {
    add(new Tokens(name("tokens")));
    add(new Positions(name("positions")));
    long features = shape.extents().getLast();
    for (int i = 0; i < 2; i++) {
      String before = network.last();
      String after =
          switch (random.nextInt(shape.extents().getFirst() > MOST_TOKENS ? 1 : 0, 3)) {
            case 0 -> {
              add(new LayerNorm(name("norm")));
              int heads = features % 3 == 0 ? 3 : features % 2 == 0 ? 2 : 1;
              yield add(new SelfAttention(name("attention"), heads));
            }
            case 1 -> {
              add(new FullyConnected(name("fc"), 5 + random.nextInt(6)));
              add(Activation.gelu(name("gelu")));
              yield add(new FullyConnected(name("fc"), Math.toIntExact(features)));
            }
            default -> add(new Dropout(name("drop"), 0.2));
          };
      network.add(new Add(name("sum")), before, after);
    }
    add(new TokenMean(name("mean")));
    return head();
  }

  private NetworkSpec head() {
    if (random.nextBoolean()) {
      add(new FullyConnected(name("fc"), 6 + random.nextInt(6)));
      add(random.nextBoolean() ? Activation.relu(name("relu")) : new BatchNorm(name("batch")));
    }
    add(new FullyConnected(name("fc"), 5, random.nextBoolean()));
    return network.build();
  }

  /** The engine's means over volumes refuse windows that are larger than the volume. */
  private int oddSize() {
    long least = shape.extents().stream().skip(1).mapToLong(Long::longValue).min().orElse(1);
    int size = 1 + 2 * random.nextInt(3);
    return size <= least ? size : 1;
  }

  private Window window(boolean dilates) {
    int kernel = 1 + random.nextInt(4);
    return Window.of(kernel)
        .withStride(1 + random.nextInt(2))
        .withPadding(dilates ? random.nextInt(3) : random.nextInt(kernel / 2 + 1))
        .withDilation(dilates ? 1 + random.nextInt(2) : 1);
  }

  private String add(LayerSpec layer) {
    network.add(layer);
    shape = layer.output(List.of(shape));
    return layer.name();
  }

  /** Adds a layer if its input is large enough, and enough is left of it. */
  private void tryAdd(LayerSpec layer) {
    try {
      Shape output = layer.output(List.of(shape));
      if (output.extents().stream().skip(1).allMatch(extent -> extent >= 3)) {
        add(layer);
      }
    } catch (UsageException e) {
      // Its window is larger than what is left.
    }
  }
}
