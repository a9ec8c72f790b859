/**
 * Networks to and from ONNX files, by {@link dev.tandem.nn.onnx.OnnxFile}, without the engine.
 *
 * <p>Writing goes from the network to a {@code GraphExport}, which knows the operators for each
 * layer, to an {@code OnnxWriter}, which knows the file format. Reading goes the other way: an
 * {@code OnnxReader}, then a {@code GraphImport}, which takes one node after the other; an operator
 * that is only a part of a layer of ours stays an expression until {@code Patterns} knows the
 * whole.
 *
 * <p>Memory: a file is mapped, and weights are views of it while they are reachable; only weights
 * that must be transposed or converted are copied. What is written borrows the weights' memory
 * during the call. Any thread may call.
 */
package dev.tandem.nn.onnx;
