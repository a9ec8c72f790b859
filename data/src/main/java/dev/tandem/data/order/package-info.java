/**
 * The order of samples. A {@link dev.tandem.data.order.SampleOrder} says which record is sample
 * {@code n} of a run, {@link dev.tandem.data.order.Steps} cut that order into batches, a {@link
 * dev.tandem.data.order.Position} is a place in it.
 *
 * <p>Promises: everything is a function of the seed, the number of records and the kind of
 * shuffling; nothing depends on ranks, threads or what was read before; every question is answered
 * in constant time and memory; within an epoch every record comes exactly once.
 *
 * <p>Threads: all types are immutable or behave so.
 */
package dev.tandem.data.order;
