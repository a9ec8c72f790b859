package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.LeafKeys;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * By the index, straight from the page cache: nothing is sought, copied or handed on. Where a
 * processor is free and the visitor has a companion, two threads share the iterations.
 */
final class MappedReading implements Reading {

  /** The first line of the next record is fetched in advance, but for CPUs that wait for it. */
  private static final boolean TOUCHES_AHEAD = !System.getProperty("os.arch").equals("aarch64");

  private final BatchPlan plan;
  private final Peers peers;
  private final Snapshot snapshot;
  private final Path file;
  private final RecordIndex index;
  private final Optional<PageCacheLoader> cache;
  private final AtomicLong nextIteration = new AtomicLong();

  /**
   * @param cache brings the file into memory meanwhile, if it is not there
   */
  MappedReading(
      BatchPlan plan,
      Peers peers,
      Snapshot snapshot,
      Path file,
      RecordIndex index,
      Optional<PageCacheLoader> cache) {
    this.cache = cache;
    this.plan = plan;
    this.peers = peers;
    this.snapshot = snapshot;
    this.file = file;
    this.index = index;
  }

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    long began = System.nanoTime();
    int processors = Runtime.getRuntime().availableProcessors();
    Optional<RecordVisitor> companion =
        peers.hostRanks().length < processors ? visitor.companion() : Optional.empty();
    Worker own = new Worker(visitor);
    if (companion.isPresent()) {
      Worker other = new Worker(companion.get());
      other.start();
      own.work();
      other.await();
      breakdown.records += other.records;
      breakdown.bytesNeeded += other.bytes;
    } else {
      own.work();
    }
    breakdown.records += own.records;
    breakdown.bytesNeeded += own.bytes;
    breakdown.read += System.nanoTime() - began;
  }

  /** Takes iterations that are not taken. */
  private final class Worker extends Thread {

    private final RecordVisitor visitor;
    private final MappedData data = new MappedData(file);
    private final IndexLookup places;
    private final LeafKeys keys;
    private RecordLocation record = new RecordLocation();
    private RecordLocation next = new RecordLocation();

    /** What was fetched in advance goes here, so that it is not left out as useless. */
    @SuppressWarnings("UnusedVariable")
    private int touched;

    private long leaf = -1;
    private long records;
    private long bytes;
    private Throwable failure;

    Worker(RecordVisitor visitor) {
      super("tandem-read-companion");
      setDaemon(true);
      this.visitor = visitor;
      Database database = snapshot.main();
      this.places = IndexLookup.withLeaves(index);
      this.keys = new LeafKeys(database);
    }

    @Override
    public void run() {
      try {
        work();
      } catch (Throwable e) {
        failure = e;
      }
    }

    void await() {
      try {
        join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while reading", e);
      }
      if (failure != null) {
        throw RequestThreads.rethrown(failure);
      }
    }

    void work() {
      int first = plan.first(peers.rank());
      int count = plan.count(peers.rank());
      long iteration = nextIteration.getAndIncrement();
      while (iteration < plan.iterations()) {
        if (count > 0) {
          read(iteration * plan.batch() + first, count);
        }
        snapshot.ensureIntact();
        iteration = nextIteration.getAndIncrement();
      }
    }

    /**
     * Reads records that follow each other in the plan. While one is visited, memory fetches the
     * beginning of the next: each lies on pages of its own, where the processor's own foresight
     * ends. Every call stands here once, so that the compiler has half as much to do.
     */
    private void read(long from, int count) {
      long place = plan.withinEpoch(from);
      for (int found = 0; found <= count; found++) {
        swap();
        if (found < count) {
          places.find(plan.ordinal(place), next);
          touch(next);
          place = plan.after(place);
        }
        if (found > 0) {
          visit();
        }
      }
    }

    private void swap() {
      RecordLocation visited = record;
      record = next;
      next = visited;
    }

    private void touch(RecordLocation value) {
      if (cache.isPresent()) {
        cache.get().await(value.valuePosition, value.valueLength);
      }
      if (TOUCHES_AHEAD && value.valueLength > 0) {
        touched += data.window(value.valuePosition).get(MappedData.at(value.valuePosition));
      }
    }

    private void visit() {
      if (record.leafPage != leaf) {
        leaf = record.leafPage;
        ByteBuffer window = data.window(record.keyPosition);
        keys.load(leaf, window, MappedData.at(record.keyPosition));
      }
      keys.seek(record.inLeaf);
      int keyLength = keys.keyLength();
      visitor.record(
          data.view(record.keyPosition),
          keys.keyAt(),
          keyLength,
          data.view(record.valuePosition),
          MappedData.at(record.valuePosition),
          record.valueLength);
      bytes += keyLength + record.valueLength;
      records++;
    }
  }

  @Override
  public void close() {
    // The snapshot is the caller's.
  }
}
