/**
 * Weights by name, apart from the network that they are for: taken from a network, read from and
 * written to safetensors files, and put into a network.
 *
 * <p>{@link dev.tandem.nn.weights.Weights} are views of memory: that of a network, as long as it is
 * open, or a mapped file, which stays mapped as long as somebody holds a view of it. All types may
 * be used by any thread; who puts weights into a network uses that network, as its own rules say.
 * Files are replaced in one step, so a reader sees the old or the whole new one.
 */
package dev.tandem.nn.weights;
