package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.SampleShare;
import java.util.List;

/** Where boxes of a movement are in tensors and in memory. */
final class Boxes {

  private Boxes() {}

  /** The part of a tensor that a box means. */
  static Tensor view(Tensor tensor, SampleShare share, Box box, long samples) {
    long first = box.samples().from(samples) - share.from(samples);
    long count = box.samples().count(samples);
    return narrow(count == tensor.size(0) ? tensor : tensor.narrow(0, first, count), box.ranges());
  }

  static Tensor narrow(Tensor tensor, List<Range> ranges) {
    Tensor view = tensor;
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      if (range.length() != tensor.size(i + 1)) {
        view = view.narrow(i + 1, range.start(), range.length());
      }
    }
    return view;
  }

  static long[] extents(Box box, long samples) {
    long[] extents = new long[box.ranges().size() + 1];
    extents[0] = box.samples().count(samples);
    for (int i = 1; i < extents.length; i++) {
      extents[i] = box.ranges().get(i - 1).length();
    }
    return extents;
  }

  /** Whether a parcel is one box that is all of a tensor. */
  static boolean isWhole(Parcel parcel, Tensor tensor, SampleShare share) {
    return parcel.boxes().size() == 1
        && parcel.boxes().getFirst().samples().equals(share)
        && isWholeSample(parcel.boxes().getFirst(), tensor.numel() / Math.max(1, tensor.size(0)));
  }

  private static boolean isWholeSample(Box box, long elements) {
    return box.ranges().stream().mapToLong(Range::length).reduce(1, (a, b) -> a * b) == elements;
  }

  /** Whether parcels, one after the other, are the whole samples of the result in their order. */
  static boolean areRows(List<Parcel> parcels, Shape shape, SampleShare result, long samples) {
    long next = result.from(samples);
    for (Parcel parcel : parcels) {
      if (parcel.boxes().size() != 1
          || !isWholeSample(parcel.boxes().getFirst(), shape.elements())
          || parcel.boxes().getFirst().samples().from(samples) != next) {
        return false;
      }
      next += parcel.boxes().getFirst().samples().count(samples);
    }
    return true;
  }

  /** Where a rank's block begins among blocks of these lengths. */
  static long offset(long[] lengths, int rank) {
    long offset = 0;
    for (int i = 0; i < rank; i++) {
      offset += lengths[i];
    }
    return offset;
  }

  /** The length of all blocks. */
  static long sum(long[] lengths) {
    return offset(lengths, lengths.length);
  }
}
