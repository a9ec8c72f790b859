package dev.tandem.data.read;

import dev.tandem.core.Ranges;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.PageCacheLoader;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.StagedRecords;
import dev.tandem.data.read.request.MemoryPool;
import dev.tandem.data.read.request.ReadRound;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.data.read.request.Requests;
import dev.tandem.data.read.request.Windows;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.PositionalFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The records of an LMDB database, whose places are known: those that are in the page cache are
 * lent from there, the others are read past it, sorted and merged, with many requests under way.
 * The state is that in which the database was opened; a fetch or {@link RecordBlock#ensureIntact}
 * fails if a writer has overwritten it.
 *
 * <p>Fetches may come from several threads. The memory of a block goes back to the source when it
 * is closed. The threads that read past the page cache begin with the first such fetch.
 */
public final class IndexedLmdbSource implements RecordSource {

  private static final int SAMPLES = 4;
  private static final long LARGEST_FETCH = 1 << 30;
  private static final long COALESCED_BYTES = 32 << 20;

  private final Environment environment;
  private final Snapshot snapshot;
  private final ValueLocations locations;
  private final Requests requests;
  private final Optional<StagedRecords> staged;
  private final PositionalFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment data;
  private final MemoryPool pool = new MemoryPool();
  private final Outcome outcome = new Outcome();
  private final long fetchBytes;

  // Set before the source is used.
  private Optional<PageCacheLoader> cache = Optional.empty();
  private IoPermits permits = IoPermits.ALWAYS;

  /** Of the first fetch past the page cache; under this object's monitor. */
  private RequestThreads threads;

  private IndexedLmdbSource(
      Environment environment, Snapshot snapshot, ReadMode mode, Locate locate, Requests requests) {
    this.environment = environment;
    this.snapshot = snapshot;
    this.requests = requests;
    this.locations =
        mode == ReadMode.DIO
            ? new CursorLocations(snapshot)
            : new IndexLocations(locate.index(environment.file(), snapshot), snapshot);
    this.fetchBytes =
        mode == ReadMode.COAL || mode == ReadMode.STAG
            ? COALESCED_BYTES
            : RecordSource.super.fetchBytes();
    this.staged = StagedRecords.of(environment.file());
    this.file = PositionalFile.openDirect(environment.file());
    this.data = map(environment.file());
  }

  /** Opens a database by its folder or its data file, with usual requests. */
  public static IndexedLmdbSource open(Path path) {
    return open(path, Locate.AUTO);
  }

  /** Opens a database whose records are located in this way, with usual requests. */
  public static IndexedLmdbSource open(Path path, Locate locate) {
    Requests usual = new Requests(1 << 20, Requests.RANDOM_DEPTH, Requests.Route.DIRECT);
    return open(path, ReadMode.PROV, locate, usual);
  }

  /** Opens a database by its folder or its data file. */
  public static IndexedLmdbSource open(Path path, Requests requests) {
    return open(path, ReadMode.PROV, Locate.AUTO, requests);
  }

  static IndexedLmdbSource open(Path path, ReadMode mode, Locate locate, Requests requests) {
    Environment environment = Environment.open(path);
    try {
      Snapshot snapshot = environment.snapshot();
      try {
        return new IndexedLmdbSource(environment, snapshot, mode, locate, requests);
      } catch (RuntimeException e) {
        snapshot.close();
        throw e;
      }
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  private MemorySegment map(Path path) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (IOException e) {
      throw FileErrors.failure("map", path, e);
    }
  }

  /** Lends records that the loader has brought into memory from there; takes it over. */
  IndexedLmdbSource cachedBy(PageCacheLoader loader) {
    cache = Optional.of(loader);
    return this;
  }

  /** Reads past the page cache only while these allow it; takes them over. */
  IndexedLmdbSource permittedBy(IoPermits newPermits) {
    permits = newPermits;
    return this;
  }

  @Override
  public long size() {
    return locations.size();
  }

  @Override
  public long fetchBytes() {
    return fetchBytes;
  }

  /** A record straight from the mapped file. */
  @Override
  public DataRecord record(long ordinal) {
    Block block = new Block(ordinal);
    block.lend();
    return block.record(0);
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    Block block = new Block(ordinals.clone());
    if (inMemory(block)) {
      block.lend();
    } else {
      block.read();
    }
    return block;
  }

  @Override
  public boolean readsParts() {
    return true;
  }

  /** Reads the parts as if each were a record, and puts those of a record together. */
  @Override
  public RecordBlock fetch(long[] ordinals, Ranges parts) {
    Block whole = new Block(ordinals.clone());
    DataRecord[] records = new DataRecord[ordinals.length];
    try (Block pieces = whole.pieces(parts)) {
      if (inMemory(pieces)) {
        pieces.lend();
      } else {
        pieces.read();
      }
      int next = 0;
      for (int i = 0; i < records.length; i++) {
        boolean fits = whole.lengths[i] == parts.whole();
        byte[] value = new byte[fits ? Math.toIntExact(parts.extent()) : 0];
        for (Ranges.Run run : fits ? parts.runs() : List.<Ranges.Run>of()) {
          MemorySegment piece = pieces.record(next++).value();
          MemorySegment.copy(piece, 0, MemorySegment.ofArray(value), run.at(), run.length());
        }
        long ordinal = ordinals[i];
        records[i] = new DataRecord(() -> locations.key(ordinal), MemorySegment.ofArray(value));
      }
      pieces.ensureIntact();
    }
    return new HeldRecords(records);
  }

  private boolean inMemory(Block block) {
    return cache.isPresent() ? cache.get().complete() : seemsCached(block);
  }

  /** Whether the page cache has some of the records, and so likely all. */
  private boolean seemsCached(Block block) {
    int count = block.size();
    int step = Math.max(1, count / SAMPLES);
    for (int i = step / 2; i < count; i += step) {
      if (!data.asSlice(block.positions[i], Math.max(1, block.lengths[i])).isLoaded()) {
        return false;
      }
    }
    return true;
  }

  private synchronized RequestThreads threads() {
    if (threads == null) {
      boolean shortRecords = file.size() / Math.max(1, size()) < Requests.LONG_BYTES;
      threads = new RequestThreads(file, requests.queueDepth(), shortRecords, outcome);
    }
    return threads;
  }

  @Override
  public synchronized void close() {
    cache.ifPresent(PageCacheLoader::close);
    if (threads != null) {
      threads.close();
      threads.join();
    }
    permits.close();
    file.close();
    arena.close();
    snapshot.close();
    environment.close();
  }

  /** What became of the requests; threads that wait for them wait here. */
  private static final class Outcome implements RequestThreads.Failures {

    private Throwable failure;

    @Override
    public synchronized void fail(Throwable thrown) {
      failure = failure == null ? thrown : failure;
      notifyAll();
    }

    synchronized void done(Block block) {
      block.done = true;
      notifyAll();
    }

    synchronized void await(Block block) {
      try {
        while (!block.done && failure == null) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new WorkFailedException("interrupted while reading", e);
      }
      if (!block.done) {
        throw RequestThreads.rethrown(failure);
      }
    }
  }

  /** Records that were fetched together: each in memory of the block, or in the mapped file. */
  private final class Block implements RecordBlock {

    private static final int MAPPED = -1;

    private final long[] ordinals;
    private final long[] positions;
    private final int[] lengths;
    private final int[] memoryAt;
    private boolean mapped;
    private ByteBuffer memory;
    private MemorySegment segment;
    private boolean done;

    Block(long... ordinals) {
      this.ordinals = ordinals;
      this.positions = new long[ordinals.length];
      this.lengths = new int[ordinals.length];
      this.memoryAt = new int[ordinals.length];
      if (staged.isPresent()) {
        for (long ordinal : ordinals) {
          staged.get().require(ordinal);
        }
      }
      locations.locate(ordinals, positions, lengths);
    }

    private Block(long[] ordinals, long[] positions, int[] lengths) {
      this.ordinals = ordinals;
      this.positions = positions;
      this.lengths = lengths;
      this.memoryAt = new int[ordinals.length];
    }

    /** Parts of the values that are as long as the ranges say, one record after the other. */
    Block pieces(Ranges parts) {
      int runs = parts.runs().size();
      int fitting = (int) Arrays.stream(lengths).filter(each -> each == parts.whole()).count();
      long[] of = new long[fitting * runs];
      long[] from = new long[of.length];
      int[] bytes = new int[of.length];
      int next = 0;
      for (int i = 0; i < ordinals.length; i++) {
        for (int run = 0; lengths[i] == parts.whole() && run < runs; run++) {
          of[next] = ordinals[i];
          from[next] = positions[i] + parts.runs().get(run).from();
          bytes[next++] = Math.toIntExact(parts.runs().get(run).length());
        }
      }
      return new Block(of, from, bytes);
    }

    /** All records straight from the mapped file. */
    void lend() {
      Arrays.fill(memoryAt, MAPPED);
      mapped = true;
      ensureIntact();
    }

    /** Records that are not in memory are read past the page cache. */
    void read() {
      Windows windows = new Windows(file.alignment(), 0);
      windows.clear();
      long bytes = 0;
      for (int i = 0; i < ordinals.length; i++) {
        if (cache.isPresent() && cache.get().has(positions[i], lengths[i])) {
          memoryAt[i] = MAPPED;
          mapped = true;
        } else {
          windows.add(positions[i], lengths[i]);
          bytes += windows.end(positions[i], lengths[i]) - windows.start(positions[i]);
        }
      }
      if (bytes > LARGEST_FETCH) {
        lend();
        return;
      }
      permits.acquire();
      try {
        read(windows);
      } finally {
        permits.release();
      }
      snapshot.ensureIntact();
      for (int i = 0; i < ordinals.length; i++) {
        if (memoryAt[i] != MAPPED) {
          memoryAt[i] = windows.memoryAt(positions[i]);
        }
      }
    }

    private void read(Windows windows) {
      memory = pool.take(windows.merge(0, 0));
      segment = MemorySegment.ofBuffer(memory.duplicate().clear());
      ReadRound round =
          new ReadRound(memory) {
            @Override
            public void complete() {
              outcome.done(Block.this);
            }
          };
      round.request(windows, requests.block());
      threads().submit(round);
      outcome.await(this);
    }

    @Override
    public int size() {
      return ordinals.length;
    }

    @Override
    public long bytes() {
      long bytes = 0;
      for (int length : lengths) {
        bytes += length;
      }
      return bytes;
    }

    @Override
    public DataRecord record(int place) {
      long ordinal = ordinals[place];
      MemorySegment value =
          memoryAt[place] == MAPPED
              ? data.asSlice(positions[place], lengths[place])
              : segment.asSlice(memoryAt[place], lengths[place]);
      return new DataRecord(() -> locations.key(ordinal), value);
    }

    @Override
    public void ensureIntact() {
      if (mapped) {
        snapshot.ensureIntact();
      }
    }

    @Override
    public void close() {
      if (memory != null) {
        pool.giveBack(memory);
        memory = null;
      }
    }
  }
}
