/**
 * Elementwise reductions, the same bits whatever the message size.
 *
 * <p>Every element is reduced in the order of the ranks, {@code ((x0 + x1) + x2) + ...}, in blocks
 * that fit into the first-level cache: inputs are copied into a Java array, combined there by plain
 * loops that the compiler turns into vector instructions, and copied out. 16-bit floats are summed
 * in 32 bits and rounded once, at the end.
 */
package dev.tandem.comm.reduce;
