/**
 * Reading batches of records from an LMDB database with several processes, by the modes of LMDBIO
 * ({@link dev.tandem.data.read.ReadMode}). All modes give every reader exactly the records of its
 * {@link dev.tandem.data.read.BatchPlan}, in order, on every layout; they differ in cost.
 *
 * <p>The way of a record: a {@code Locator} (index, or places that one process seeks for all) or a
 * cursor says where it lies; a root brings it into memory, by requests ({@code RoundPlanner} sorts
 * and merges them into windows, {@code RequestThreads} keep as many under way as the queue is deep)
 * or through its mapping; a {@code SlotRing} hands rounds of records on to the root's followers, in
 * shared memory, or to the root alone, in its own; a {@link dev.tandem.data.read.RecordVisitor}
 * consumes them. {@link dev.tandem.data.read.ReadJob} is one reader's part, {@link
 * dev.tandem.data.read.ReadLaunch} starts all of them, {@link
 * dev.tandem.data.read.IndexedLmdbSource} is the same reading for a loader.
 *
 * <p>Promises: memory under way is bounded by the ring; after each round it is checked that no
 * writer has reused the pages ({@link dev.tandem.lmdb.page.SnapshotOverwrittenException}); values
 * too large for a slot are looked at in the file by each reader itself.
 *
 * <p>Threads: a reader's visitor is called by the thread that runs it (a companion by a second
 * one); a root has a thread that loads the index, a planning thread and one thread a request under
 * way, or a single one that uses the kernel's queue where requests are short ({@code
 * QueuedRequests}), all daemons that end with the reading. Memory: rings own theirs; buffers lent
 * to visitors are valid during the call, and none goes while the kernel may write to it.
 *
 * <p>New JVMs matter here: a whole database is often read within the first second. So the hot path
 * is arrays and {@link java.nio.ByteBuffer}s, without lambdas or streams, and with few foreign
 * calls.
 */
package dev.tandem.data.read;
