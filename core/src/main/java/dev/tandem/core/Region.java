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

  /** What local rows from one on and before another hold, rows being the first dimension. */
  public Region rows(long from, long to) {
    List<Ranges> fewer = new ArrayList<>(dimensions);
    fewer.set(0, dimensions.getFirst().narrowed(from, to));
    return new Region(fewer);
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

  /** Takes elements that are neighbours in both tensors. */
  @FunctionalInterface
  public interface RunVisitor {

    /**
     * Elements by their places in row-major order.
     *
     * @param whole place of the first in the whole tensor
     * @param local place of the first in the local tensor
     */
    void visit(long whole, long local, long length);
  }

  /** Visits all elements that the local tensor holds, in its row-major order. */
  public void forEachRun(RunVisitor visitor) {
    int cut = dimensions.size();
    long inner = 1;
    while (cut > 0 && dimensions.get(cut - 1).isAll()) {
      cut--;
      inner *= dimensions.get(cut).whole();
    }
    if (inner == 0) {
      return;
    }
    if (cut == 0) {
      visitor.visit(0, 0, inner);
    } else {
      visit(0, cut - 1, 0, 0, inner, visitor);
    }
  }

  private void visit(
      int dimension, int last, long whole, long local, long inner, RunVisitor visitor) {
    Ranges ranges = dimensions.get(dimension);
    for (Ranges.Run run : ranges.runs()) {
      long from = whole * ranges.whole() + run.from();
      long at = local * ranges.extent() + run.at();
      if (dimension == last) {
        visitor.visit(from * inner, at * inner, run.length() * inner);
      } else {
        for (long i = 0; i < run.length(); i++) {
          visit(dimension + 1, last, from + i, at + i, inner, visitor);
        }
      }
    }
  }

  private static List<Long> and(List<Long> list, long last) {
    List<Long> longer = new ArrayList<>(list);
    longer.add(last);
    return longer;
  }
}
