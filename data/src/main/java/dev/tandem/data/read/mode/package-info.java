/**
 * Reading batches of records from an LMDB database with several processes, by the modes of LMDBIO
 * ({@link dev.tandem.data.read.mode.ReadMode}). All modes give every reader exactly the records of
 * its {@link dev.tandem.data.read.mode.BatchPlan}, in order, on every layout; they differ in cost.
 *
 * <p>The way of a record: a {@code Locator} (index, or locations that one process finds for all) or
 * a cursor says where it is; a root brings it into memory, by requests that a {@code RoundPlanner}
 * makes, or through its mapping; a {@code SlotRing} hands rounds of records on to the root's
 * followers, in shared memory, or to the root alone, in its own; a {@link
 * dev.tandem.data.read.mode.RecordVisitor} consumes them.
 *
 * <p>Promises: memory under way is bounded by the ring; after each round it is checked that no
 * writer has reused the pages; values too large for a slot are looked at in the file by each reader
 * itself.
 *
 * <p>Threads: a visitor is called by the thread that runs its reader (a companion by a second one).
 * Memory: rings own theirs; buffers lent to visitors are valid during the call.
 *
 * <p>New JVMs matter here: a whole database is often read within the first second. So the hot path
 * is arrays and {@link java.nio.ByteBuffer}s, without lambdas or streams, and with few foreign
 * calls.
 */
package dev.tandem.data.read.mode;
