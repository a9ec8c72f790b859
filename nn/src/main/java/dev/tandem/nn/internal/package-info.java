/**
 * Networks in the engine: one small class for each kind of layer, and the run of a graph of them.
 *
 * <p>With {@code dev.tandem.nn} itself the only package that uses {@code nn.engine}; no code
 * outside the module imports it. A {@link dev.tandem.nn.internal.Layer} has forward, backward-data
 * and backward-weights apart; a {@link dev.tandem.nn.internal.GraphRun} is one pass of one batch
 * through a {@link dev.tandem.nn.internal.Graph} of layers.
 *
 * <p>Memory: layers make their results in the scope of their caller. The run keeps what later
 * passes need beyond that scope by retaining it, and lets go of it as soon as the backward pass is
 * through with a layer.
 */
package dev.tandem.nn.internal;
