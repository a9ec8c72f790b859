/**
 * Networks on libtorch: what a network is, its forward and backward passes, its update.
 *
 * <p>A {@link dev.tandem.nn.NetworkSpec} says what a network is, without the engine: layers, shapes
 * and parameters can be asked for on any machine. A {@link dev.tandem.nn.Network} is that network
 * in memory, and an {@link dev.tandem.nn.Optimizer} changes its parameters. Inside, each layer has
 * forward, backward-data and backward-weights apart (class {@code Layer}), so that a later caller
 * can put work between them; there is no autograd graph.
 *
 * <p>Memory: parameters, gradients and optimizer state each live in one {@code Bucket}, a
 * contiguous segment of an arena that the network or optimizer owns; the engine computes in that
 * very memory, and callers see it as {@link dev.tandem.core.TensorView}s and as one segment that a
 * collective can reduce at once. What a step allocates besides is freed when the step returns, by a
 * pointer scope. Types of the engine never leave this package.
 *
 * <p>Threads: a network and its optimizer are used by one thread at a time, which may change
 * between calls. The engine computes with the number of threads given to {@link
 * dev.tandem.nn.Engine#start}.
 *
 * <p>Determinism: with the same seed, data, batch sizes and number of threads, parameters are the
 * same bits in every process on the same kind of processor. Another number of threads gives other
 * bits.
 */
package dev.tandem.nn;
