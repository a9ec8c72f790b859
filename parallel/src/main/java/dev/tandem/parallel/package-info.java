/**
 * Networks that are split over ranks.
 *
 * <p>A compiler: from a network, a {@link dev.tandem.parallel.mesh.Mesh} of ranks, a strategy and a
 * rank it makes the network of that rank, in which every communication is an ordinary layer, {@link
 * dev.tandem.nn.spec.Exchange}, whose backward pass is the exact adjoint of its forward pass; and
 * it says which region of every parameter the rank holds. Each rank then trains that network as if
 * it were alone: passes, optimizers, checkpoints and gradient synchronisation are those of whole
 * networks.
 *
 * <p>Axes of the mesh are outer ({@code pipeline}: other layers; {@code data}: other samples) or
 * inner: along these a tensor is whole, split in one dimension, or the sum over the ranks. A
 * strategy only says in which {@link dev.tandem.parallel.mesh.Mode} each layer works along each
 * inner axis; rules by kind of layer say what that means; what a layer gets and what it needs
 * decide which exchanges are put between.
 *
 * <p>Plans are immutable and made without memory of tensors; every rank makes its own, and all
 * ranks' plans fit each other because they follow from the same values.
 */
package dev.tandem.parallel;
