/**
 * What the members of an ensemble say together: the mean of their probabilities or values, the mean
 * weighted by how well each did, the majority, and a small trained combiner ({@link
 * dev.tandem.ensemble.combine.Stacking}); how good each is beside its members; and one ONNX file of
 * all.
 *
 * <p>What is fitted, weights and coefficients, is never judged by the samples that it was fitted
 * on: {@link dev.tandem.ensemble.combine.CrossFit}. Results depend on the members' answers and the
 * seed alone.
 *
 * <p>Threads: records are immutable, all else is for one thread. Memory: networks belong to {@link
 * dev.tandem.ensemble.combine.OpenMembers} while it is open; nothing else is off the heap.
 */
package dev.tandem.ensemble.combine;
