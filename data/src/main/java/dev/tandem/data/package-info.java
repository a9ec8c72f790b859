/**
 * From record to sample to batch. A {@link dev.tandem.data.RecordSource} hands out records by
 * ordinal, a {@link dev.tandem.data.SampleOrder} says which ordinal stands at which place of the
 * global order, a {@link dev.tandem.data.Loader} decodes a rank's share of every step into batches
 * ahead of the consumer.
 *
 * <p>Promises: the global order depends on the seed alone, never on ranks or threads; within an
 * epoch every sample comes exactly once; resuming at a step reads nothing before it.
 *
 * <p>Threads: a loader has one thread of its own and bounded memory ({@code depth} batches); its
 * consumer is one thread. Memory: a source owns its mapping, a loader its batches; both lend.
 */
package dev.tandem.data;
