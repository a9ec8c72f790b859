/**
 * From record to sample to batch. A {@link dev.tandem.data.RecordSource} hands out records by
 * ordinal. The rest is in packages, in the order of the data's way:
 *
 * <ul>
 *   <li>{@code source}: other sources than LMDB (folders of images, IDX, CIFAR-10, tar shards);
 *   <li>{@code order}: which record is sample {@code n} of a run, and which samples are a step;
 *   <li>{@code decode}, {@code image}, {@code augment}: from a record to an image, changed and
 *       normalised;
 *   <li>{@code load}: a rank's share of every step, read and decoded ahead of the consumer;
 *   <li>{@code reuse}: batches recomposed from samples that are in memory already.
 * </ul>
 *
 * <p>Promises: the global order depends on the seed alone, never on ranks or threads; within an
 * epoch every sample comes exactly once; resuming at a position reads nothing before it.
 *
 * <p>Threads: a source may be read by several. Memory: a source owns what it lends.
 */
package dev.tandem.data;
