package dev.tandem.comm.reduce;

/** How the elements of all ranks become one. */
public enum ReduceOp {
  /** The sum in rank order; integers wrap around. */
  SUM,
  /** The sum in rank order divided by the number of ranks; integers are rounded towards zero. */
  AVERAGE,
  /** The smallest; NaN if any is NaN. */
  MIN,
  /** The largest; NaN if any is NaN. */
  MAX,
  /** And on the bits of the elements, whatever their type. */
  BIT_AND,
  /** Or on the bits of the elements, whatever their type. */
  BIT_OR;

  boolean onBits() {
    return this == BIT_AND || this == BIT_OR;
  }
}
