/**
 * The size of the batch during training. A {@link dev.tandem.train.batch.BatchSizing} is asked
 * after every step, on every rank, with the same observation everywhere; what it answers is the
 * batch of the next step.
 *
 * <p>Threads: a policy belongs to the thread that trains.
 */
package dev.tandem.train.batch;
