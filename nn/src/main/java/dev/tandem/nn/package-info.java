/**
 * Networks on libtorch: their forward and backward passes and their update.
 *
 * <p>A {@link dev.tandem.nn.spec.NetworkSpec} says what a network is, a graph of named layers,
 * without the engine: shapes and parameters can be asked for on any machine. A {@link
 * dev.tandem.nn.Network} is that network in memory, and an {@link dev.tandem.nn.Optimizer} changes
 * its parameters. A step:
 *
 * <pre>{@code
 * double loss = network.forwardBackward(samples, TrainingStep.of(seed, step).withListener(sync));
 * optimizer.step(schedule.rate(step));
 * }</pre>
 *
 * <p>Inside, each layer has forward, backward-data and backward-weights apart, so that work can be
 * put between them: the backward pass goes through the graph layer by layer and tells a {@link
 * dev.tandem.nn.GradientListener} of each gradient as soon as it is there; batch normalisations cut
 * their passes where a {@link dev.tandem.nn.StatisticsReducer} adds the statistics of other batches
 * or ranks. A {@link dev.tandem.nn.LayerPasses} gives the three passes of a single layer to those
 * who split layers across processes.
 *
 * <p>Memory: parameters, buffers, gradients and optimizer state each live in one contiguous segment
 * of an arena that the network or optimizer owns; the engine computes in that very memory, and
 * callers see it as {@link dev.tandem.core.TensorView}s, row-major, and as one segment that a
 * collective can reduce at once. Activations are channels-last and are freed as the backward pass
 * keeps them; whatever else a step allocates is freed when it returns. Types of the engine never
 * leave this module: no public type here mentions them, and no code outside imports {@code
 * dev.tandem.nn.internal}.
 *
 * <p>Threads: a network and its optimizer are used by one thread at a time, which may change
 * between calls. The engine computes with the number of threads given to {@link
 * dev.tandem.nn.Engine#start}.
 *
 * <p>Determinism: with the same seed, data, batch sizes and number of threads, parameters are the
 * same bits in every process on the same kind of processor. Another number of threads gives other
 * bits. What dropouts drop depends on seed, step, layer and sample alone.
 */
package dev.tandem.nn;
