/**
 * Weights by name, apart from the network that they are for: taken from a network or a file, and
 * put into a network.
 *
 * <p>{@link dev.tandem.nn.weights.Weights} are views of memory: that of a network, as long as it is
 * open, or a mapped file, which stays mapped while a view of it is reachable. All types may be used
 * by any thread; putting weights into a network uses that network, as its own rules say.
 */
package dev.tandem.nn.weights;
