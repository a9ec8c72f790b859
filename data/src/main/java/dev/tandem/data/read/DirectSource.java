package dev.tandem.data.read;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.LeafKeys;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.PositionalFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The records of an LMDB database by its index: a fetch of many is read past the page cache, sorted
 * and merged, with many requests under way, or taken straight from the page cache if it is there.
 * The state is that in which the database was opened; a fetch fails if a writer has overwritten it,
 * and never lends bytes of another state.
 *
 * <p>Fetches may come from several threads. A block's memory is its own and goes back to the source
 * when it is closed. The threads that read past the page cache begin with the first such fetch.
 */
public final class DirectSource implements RecordSource {

  private static final int SAMPLES = 4;
  private static final long LARGEST_FETCH = 1 << 30;

  private final Environment environment;
  private final Snapshot snapshot;
  private final Database database;
  private final RecordIndex index;
  private final MappedData data;
  private final PositionalFile file;
  private final Requests requests;
  private final Optional<StagedRecords> staged;
  private final MemoryPool pool = new MemoryPool();
  private final Outcome outcome = new Outcome();

  // Of the first fetch past the page cache; under this object's monitor.
  private RequestThreads threads;
  private Optional<LeafCache> leaves;

  private DirectSource(Environment environment, Snapshot snapshot, Requests requests) {
    this.environment = environment;
    this.snapshot = snapshot;
    this.requests = requests;
    this.database = snapshot.main();
    RecordIndex stored = RecordIndex.openOrBuild(environment.file(), Progress.SILENT);
    // Somebody may have committed since the snapshot was taken.
    this.index =
        stored.describes(database) ? stored : RecordIndex.build(database, false, Progress.SILENT);
    this.data = new MappedData(environment.file());
    this.staged = StagedRecords.of(environment.file());
    this.file = PositionalFile.openDirect(environment.file());
  }

  private synchronized Optional<LeafCache> leaves() {
    if (leaves == null) {
      leaves =
          LeafCache.suits(index, file.alignment())
              ? Optional.of(LeafCache.read(index, file, requests.queueDepth(), new Peers.Alone()))
              : Optional.empty();
      snapshot.ensureIntact();
    }
    return leaves;
  }

  /** For finding so many records, whose keys stay where they are. */
  private IndexPlaces places(int records) {
    if (index.numberedKeys().isPresent()) {
      return IndexPlaces.withNumbers(index, database, records);
    }
    Optional<LeafCache> cache = leaves();
    return cache.isPresent()
        ? IndexPlaces.withCache(index, database, cache.get())
        : IndexPlaces.withLeaves(index, database);
  }

  private synchronized RequestThreads threads() {
    if (threads == null) {
      threads = new RequestThreads(file, requests.queueDepth(), shortRecords(), outcome);
    }
    return threads;
  }

  private boolean shortRecords() {
    return file.size() / Math.max(1, index.size()) < Requests.LONG_BYTES;
  }

  /** Opens a database by its folder or its data file, with usual requests. */
  public static DirectSource open(Path path) {
    return open(path, new Requests(1 << 20, Requests.RANDOM_DEPTH, Requests.Route.DIRECT));
  }

  /** Opens a database by its folder or its data file. */
  public static DirectSource open(Path path, Requests requests) {
    Environment environment = Environment.open(path);
    try {
      Snapshot snapshot = environment.snapshot();
      try {
        return new DirectSource(environment, snapshot, requests);
      } catch (RuntimeException e) {
        snapshot.close();
        throw e;
      }
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  @Override
  public long size() {
    return index.size();
  }

  /** A record straight from the mapped file. */
  @Override
  public DataRecord record(long ordinal) {
    if (staged.isPresent()) {
      staged.get().require(ordinal);
    }
    long position = index.offset(ordinal);
    int length = MappedData.length(index.length(ordinal));
    MemorySegment value =
        MemorySegment.ofBuffer(data.window(position).slice(MappedData.at(position), length));
    return new DataRecord(index.key(snapshot, ordinal), value);
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    if (inMemory(ordinals)) {
      return mapped(ordinals);
    }
    Fetch fetch = new Fetch(ordinals);
    if (fetch.bytes > LARGEST_FETCH) {
      return mapped(ordinals);
    }
    fetch.read();
    return fetch;
  }

  /** Records straight from the mapped file; copied where nothing keeps writers off its pages. */
  private RecordBlock mapped(long[] ordinals) {
    boolean copied = !snapshot.protectedBySlot();
    DataRecord[] records = new DataRecord[ordinals.length];
    for (int i = 0; i < ordinals.length; i++) {
      DataRecord record = record(ordinals[i]);
      records[i] = copied ? new DataRecord(copy(record.key()), copy(record.value())) : record;
    }
    snapshot.ensureIntact();
    return new HeldRecords(records);
  }

  private static MemorySegment copy(MemorySegment bytes) {
    return MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  /** Whether the page cache has some of the records, and so likely all. */
  private boolean inMemory(long[] ordinals) {
    int step = Math.max(1, ordinals.length / SAMPLES);
    for (int i = step / 2; i < ordinals.length; i += step) {
      long position = index.offset(ordinals[i]);
      int length = MappedData.length(Math.max(1, index.length(ordinals[i])));
      ByteBuffer part = data.window(position).slice(MappedData.at(position), length);
      if (!(part instanceof MappedByteBuffer mapped && mapped.isLoaded())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public synchronized void close() {
    if (threads != null) {
      threads.close();
      threads.join();
    }
    file.close();
    snapshot.close();
    environment.close();
  }

  /** What became of the requests; who waits for them waits here. */
  private static final class Outcome implements RequestThreads.Failures {

    private Throwable failure;

    @Override
    public synchronized void fail(Throwable thrown) {
      failure = failure == null ? thrown : failure;
      notifyAll();
    }

    synchronized void done(Fetch fetch) {
      fetch.done = true;
      notifyAll();
    }

    synchronized void await(Fetch fetch) {
      try {
        while (!fetch.done && failure == null) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new WorkFailedException("interrupted while reading", e);
      }
      if (!fetch.done) {
        throw PrivateRing.rethrown(failure);
      }
    }
  }

  /** Records that were read together. */
  private final class Fetch implements RecordBlock {

    private final long[] ordinals;
    private final Windows windows;
    private final int[] keyAt;
    private final int[] keyLength;
    private final ByteBuffer[] keyMemory;
    private final int[] valueAt;
    private long bytes;
    private ByteBuffer memory;
    private MemorySegment segment;
    private boolean done;

    Fetch(long[] ordinals) {
      this.ordinals = ordinals.clone();
      this.windows = new Windows(file.alignment(), 0);
      this.keyAt = new int[ordinals.length];
      this.keyLength = new int[ordinals.length];
      this.keyMemory = new ByteBuffer[ordinals.length];
      this.valueAt = new int[ordinals.length];
      windows.clear();
      IndexPlaces places = places(ordinals.length);
      Located record = new Located();
      for (int i = 0; i < ordinals.length; i++) {
        if (staged.isPresent()) {
          staged.get().require(ordinals[i]);
        }
        places.find(ordinals[i], record);
        windows.add(record.valuePosition, record.valueLength);
        bytes +=
            windows.end(record.valuePosition, record.valueLength)
                - windows.start(record.valuePosition);
        if (record.keyMemory == null) {
          windows.add(record.keyPosition, record.keyLength);
          bytes += record.keyLength + file.alignment();
        } else {
          keyMemory[i] = record.keyMemory;
          keyAt[i] = (int) record.keyPosition;
          keyLength[i] = record.keyLength;
        }
      }
    }

    void read() {
      memory = pool.take(windows.merge(0, 0));
      ReadRound round =
          new ReadRound(memory) {
            @Override
            void complete() {
              outcome.done(Fetch.this);
            }
          };
      round.request(windows, requests.block());
      threads().submit(round);
      outcome.await(this);
      snapshot.ensureIntact();
      segment = MemorySegment.ofBuffer(memory.duplicate().clear());
      LeafKeys leafKeys = new LeafKeys(database);
      for (int i = 0; i < ordinals.length; i++) {
        valueAt[i] = windows.memoryAt(index.offset(ordinals[i]));
        if (keyMemory[i] == null) {
          int leaf = index.leafOf(ordinals[i]);
          long page = index.pageOfLeaf(leaf);
          leafKeys.load(page, memory, windows.memoryAt(page * index.pageSize()));
          leafKeys.seek(ordinals[i] - index.firstOfLeaf(leaf));
          keyAt[i] = leafKeys.keyAt();
          keyLength[i] = leafKeys.keyLength();
        }
      }
    }

    @Override
    public int size() {
      return ordinals.length;
    }

    @Override
    public DataRecord record(int place) {
      MemorySegment key =
          keyMemory[place] == null
              ? segment.asSlice(keyAt[place], keyLength[place])
              : MemorySegment.ofBuffer(keyMemory[place].slice(keyAt[place], keyLength[place]));
      return new DataRecord(key, segment.asSlice(valueAt[place], index.length(ordinals[place])));
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
