package dev.tandem.core;

import java.util.ArrayList;
import java.util.List;

/** What a local tensor holds of a whole one: the product of the ranges of its dimensions. */
public record Region(List<Ranges> dimensions) {

  /**
   * A block that is contiguous in each dimension, in the whole tensor and in the local one.
   *
   * @param from where it begins in the whole tensor
   * @param at where it begins in the local tensor
   * @param extents of the block
   */
  public record Piece(List<Long> from, List<Long> at, List<Long> extents) {

    public Piece {
      from = List.copyOf(from);
      at = List.copyOf(at);
      extents = List.copyOf(extents);
    }
  }

  public Region {
    dimensions = List.copyOf(dimensions);
  }

  /** All of a tensor. */
  public static Region all(Shape shape) {
    return new Region(shape.extents().stream().map(Ranges::all).toList());
  }

  /** The shape of the whole tensor. */
  public Shape whole() {
    return new Shape(dimensions.stream().map(Ranges::whole).toList());
  }

  /** The shape of the local tensor. */
  public Shape local() {
    return new Shape(dimensions.stream().map(Ranges::extent).toList());
  }

  public boolean isAll() {
    return dimensions.stream().allMatch(Ranges::isAll);
  }

  /** The blocks of this region, in the order of the local tensor. */
  public List<Piece> pieces() {
    List<Piece> pieces = List.of(new Piece(List.of(), List.of(), List.of()));
    for (Ranges ranges : dimensions) {
      List<Piece> longer = new ArrayList<>();
      for (Piece piece : pieces) {
        for (Ranges.Run run : ranges.runs()) {
          longer.add(
              new Piece(
                  and(piece.from, run.from()),
                  and(piece.at, run.at()),
                  and(piece.extents, run.length())));
        }
      }
      pieces = longer;
    }
    return pieces;
  }

  private static List<Long> and(List<Long> list, long last) {
    List<Long> longer = new ArrayList<>(list);
    longer.add(last);
    return longer;
  }
}
