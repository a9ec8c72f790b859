package dev.tandem.parallel.mesh;

import java.util.List;

/** What the ranks along an axis have of a tensor. */
public sealed interface Way {

  /** Every rank has all of it, the same bits. */
  Way WHOLE = new Whole();

  /** Each rank has all of some samples. */
  Way SAMPLES = new Samples();

  /** The tensor is the sum of what the ranks have. */
  Way SUM = new Sum(List.of());

  /** Every rank has all of it. */
  record Whole() implements Way {}

  /** Each rank has other samples. */
  record Samples() implements Way {}

  /**
   * Each rank has a part of one dimension.
   *
   * @param dimension of a sample, from 0
   */
  record Split(int dimension, Cut cut) implements Way {}

  /**
   * The tensor is the sum over the ranks.
   *
   * @param shares what each rank's summand is to be multiplied with first; none for 1
   */
  record Sum(List<Double> shares) implements Way {

    public Sum {
      shares = List.copyOf(shares);
    }

    /** What the summand of the rank at a coordinate is multiplied with. */
    public double share(int coordinate) {
      return shares.isEmpty() ? 1 : shares.get(coordinate);
    }
  }
}
