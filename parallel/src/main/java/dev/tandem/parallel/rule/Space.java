package dev.tandem.parallel.rule;

import dev.tandem.core.Ranges;
import dev.tandem.core.Shape;
import dev.tandem.parallel.mesh.Cut;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Which places of its input a window needs for places of its output, along one dimension. */
public final class Space {

  /** Axes that are named after dimensions of space, the last dimension first. */
  public static final List<String> NAMES = List.of("width", "height", "depth");

  private Space() {}

  /** The dimension that an axis is named after, if samples of this shape have it. */
  public static OptionalInt dimension(String axis, Shape shape) {
    int dimensions = shape.extents().size();
    int fromEnd = NAMES.indexOf(axis) + 1;
    return fromEnd > 0 && dimensions > 2 && dimensions - fromEnd > 0
        ? OptionalInt.of(dimensions - fromEnd)
        : OptionalInt.empty();
  }

  /** What a window does along one dimension. */
  record Slide(int kernel, int stride, int padding, int dilation) {

    /** The first place that output place needs; negative if that is padding. */
    long first(long place) {
      return place * stride - padding;
    }

    /** The place after the last that an output place needs. */
    long end(long place) {
      return first(place) + (long) dilation * (kernel - 1) + 1;
    }
  }

  /** The blocks of an input that give these parts of the output with padding 0. */
  static Cut blocks(Cut output, long input, Slide slide) {
    List<Ranges> blocks = new ArrayList<>();
    for (Ranges part : output.parts()) {
      Ranges.Run run = part.runs().getFirst();
      blocks.add(block(slide.first(run.from()), slide.end(run.to() - 1), input));
    }
    return new Cut(blocks);
  }

  /** The places from one to another, of which those within the input are real. */
  static Ranges block(long low, long high, long input) {
    long from = Math.min(Math.max(low, 0), input);
    long to = Math.max(from, Math.min(high, input));
    return new Ranges(
        input,
        high - low,
        from == to ? List.of() : List.of(new Ranges.Run(from, from - low, to - from)));
  }

  /** The parts of a cut with this many places more on both sides. */
  static Cut widened(Cut cut, long margin) {
    List<Ranges> parts = new ArrayList<>();
    for (Ranges part : cut.parts()) {
      Ranges.Run run = part.runs().getFirst();
      parts.add(block(run.from() - margin, run.to() + margin, cut.whole()));
    }
    return new Cut(parts);
  }

  /** Whether each part is one range, as windows need them. */
  static boolean isPlain(Cut cut) {
    return cut.isDisjoint() && cut.parts().stream().allMatch(part -> part.runs().size() == 1);
  }
}
