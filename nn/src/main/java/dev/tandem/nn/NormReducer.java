package dev.tandem.nn;

/**
 * Where the ranks of a split network meet to learn the norms of whole tensors. Called by the thread
 * that computes; all ranks call with as many rows in the same order. The results have the same bits
 * on every rank.
 */
@FunctionalInterface
public interface NormReducer {

  /**
   * Adds up the squares of all parts of all tensors, each part once even if several ranks have a
   * copy of it.
   *
   * @param squares one row for each kind of tensor that belongs to the parameters (themselves,
   *     their gradients): for each parameter of the rank's network, in its order, the sum of the
   *     squares of the rank's part; replaced by that of the whole tensor
   * @return for each row the sum over all parameters of the whole network
   */
  double[] sum(double[][] squares);
}
