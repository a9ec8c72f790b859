package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Fills the main database of an environment with many records, committing every so many. Closing it
 * commits the rest. After a failure what was committed stays, and closing drops the rest.
 *
 * <p>One thread at a time, and always the same one.
 */
public final class BulkWriter implements AutoCloseable {

  private final EnvironmentWriter environment;
  private final int commitEvery;
  private WriteTransaction transaction;
  private WriteDatabase database;
  private int pending;
  private long records;
  private boolean failed;

  private BulkWriter(EnvironmentWriter environment, int commitEvery) {
    this.environment = environment;
    this.commitEvery = commitEvery;
  }

  /** Opens the environment in this folder, made if missing. */
  public static BulkWriter open(Path folder, WriterOptions options, int commitEvery) {
    if (commitEvery < 1) {
      throw new UsageException("commit every " + commitEvery + " records: at least 1 is needed");
    }
    return new BulkWriter(EnvironmentWriter.open(folder, options), commitEvery);
  }

  /** Stores a record; keys may come in any order, sorted ones pack best. */
  public void put(byte[] key, byte[] value) {
    put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
  }

  /** As {@link #put(byte[], byte[])}; the buffers are left as they were. */
  public void put(ByteBuffer key, ByteBuffer value) {
    boolean done = false;
    try {
      if (transaction == null) {
        transaction = environment.begin();
        database = transaction.main();
      }
      database.put(key, value);
      records++;
      pending++;
      if (pending == commitEvery) {
        commit();
      }
      done = true;
    } finally {
      failed |= !done;
    }
  }

  private void commit() {
    pending = 0;
    WriteTransaction current = transaction;
    transaction = null;
    current.commit();
  }

  /** Records stored so far, committed or not. */
  public long records() {
    return records;
  }

  @Override
  public void close() {
    try {
      if (transaction != null) {
        if (failed) {
          transaction.close();
        } else {
          commit();
        }
      }
    } finally {
      environment.close();
    }
  }
}
