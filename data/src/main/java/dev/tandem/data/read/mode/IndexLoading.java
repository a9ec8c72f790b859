package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The index of a database, loaded or built by a thread of its own while its reader does something
 * else: in a new JVM it takes as long as reading 40 MB.
 */
final class IndexLoading {

  private final Path database;
  private final Snapshot snapshot;
  private final Locate locate;
  private final FutureTask<RecordIndex> task = new FutureTask<>(this::load);
  private boolean begun;
  private long nanos;

  IndexLoading(Path database, Snapshot snapshot, Locate locate) {
    this.locate = locate;
    this.database = database;
    this.snapshot = snapshot;
  }

  /** Begins to load if there is something to load; to build one would take the storage's time. */
  void beginIfStored() {
    if (Files.exists(RecordIndex.fileOf(database, Optional.empty()))) {
      begin();
    }
  }

  /** Begins, unless it has begun. */
  void begin() {
    if (!begun) {
      begun = true;
      Thread.ofPlatform().daemon().name("tandem-read-index").start(task);
    }
  }

  private RecordIndex load() {
    long began = System.nanoTime();
    RecordIndex index = locate.index(database, snapshot);
    nanos = System.nanoTime() - began;
    return index;
  }

  /** Begins if need be, and returns the index when it is there. */
  RecordIndex await() {
    begin();
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw RequestThreads.rethrown(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while loading an index", e);
    }
  }

  /** How long it took, once it is there. */
  long nanos() {
    return nanos;
  }
}
