/**
 * From records to batches. A {@link dev.tandem.data.load.Loader} gives a rank its batches; a {@link
 * dev.tandem.data.load.Preparation} says what becomes of a record, {@link
 * dev.tandem.data.load.LoaderOptions} with what means.
 *
 * <p>The way of a step: a {@link dev.tandem.data.load.Feed} plans which records a rank needs, fetch
 * threads read those of several steps at once, decoding threads make samples of them in chunks, and
 * the consumer takes finished steps in order. A {@link dev.tandem.data.load.StallReport} says which
 * of these is the slowest.
 *
 * <p>Promises: batches come in order and do not depend on threads; memory is bounded by {@link
 * dev.tandem.data.load.LoaderOptions#prefetchBytes()}; a failure comes out of {@code next()} where
 * it belongs; closing ends all threads and never interrupts one that reads.
 *
 * <p>Threads: a loader has one consumer. Memory: a loader owns its batches and lends them.
 */
package dev.tandem.data.load;
