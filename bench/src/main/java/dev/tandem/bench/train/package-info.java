/**
 * The benchmark of training steps: Tandem against Debian's PyTorch, alone and data-parallel.
 *
 * <p>Both sides start from the same weights and train on the same batch, which Tandem's side writes
 * to files; both compute channels-last and include the update. The first losses of all sides are
 * compared before anything is measured, so that what is faster is the same network.
 */
package dev.tandem.bench.train;
