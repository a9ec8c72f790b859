package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/** One number for each channel: the mean or the maximum over all of space. */
public record GlobalPool(String name, Kind of) implements LayerSpec {

  /** What is taken of a channel. */
  public enum Kind {
    AVERAGE,
    MAX
  }

  /** The mean of each channel. */
  public static GlobalPool average(String name) {
    return new GlobalPool(name, Kind.AVERAGE);
  }

  /** The maximum of each channel. */
  public static GlobalPool max(String name) {
    return new GlobalPool(name, Kind.MAX);
  }

  @Override
  public String kind() {
    return switch (of) {
      case AVERAGE -> "global-average-pool";
      case MAX -> "global-max-pool";
    };
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.space(this, input);
    return Shape.of(Checks.channels(input));
  }
}
