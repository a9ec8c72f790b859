package dev.tandem.data.importing;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Writes records to the databases of an environment, one database after another, and commits every
 * so many. Only {@link #finish()} commits the rest; closing without it drops what was not
 * committed. For the thread that opened it.
 */
public final class CommittingWriter implements RecordSink, AutoCloseable {

  private final EnvironmentWriter environment;
  private final long commitEvery;
  private Optional<String> name = Optional.empty();
  private DatabaseFlags[] flags = {};
  private WriteTransaction transaction;
  private WriteDatabase database;
  private boolean appending;
  private long pending;
  private long records;
  private long bytes;

  private CommittingWriter(EnvironmentWriter environment, long commitEvery) {
    this.environment = environment;
    this.commitEvery = commitEvery;
  }

  /**
   * Opens an environment, made if missing.
   *
   * @param commitEvery records per commit; {@link Long#MAX_VALUE} for all in one
   */
  public static CommittingWriter open(Path folder, WriterOptions options, long commitEvery) {
    if (commitEvery < 1) {
      throw new UsageException("commit every " + commitEvery + " records: at least 1 is needed");
    }
    return new CommittingWriter(EnvironmentWriter.open(folder, options), commitEvery);
  }

  /**
   * The records that follow go to this database, which is made if missing.
   *
   * @param named its name, or empty for the main database
   * @param lmdbFlags LMDB's persistent flags
   * @param append keys come sorted: pages are filled to the end, and an unsorted key is an error
   */
  public void use(Optional<String> named, int lmdbFlags, boolean append) {
    name = named;
    flags = StoredFlags.of(lmdbFlags);
    appending = append;
    database = null;
    open();
  }

  private void open() {
    if (transaction == null) {
      transaction = environment.begin();
    }
    database = name.isPresent() ? transaction.database(name.get(), flags) : transaction.main(flags);
  }

  @Override
  public void put(MemorySegment key, MemorySegment value) {
    if (transaction == null || database == null) {
      open();
    }
    try {
      ByteBuffer keyBytes = key.asByteBuffer();
      ByteBuffer valueBytes = value.asByteBuffer();
      if (appending) {
        database.append(keyBytes, valueBytes);
      } else {
        database.put(keyBytes, valueBytes);
      }
    } catch (UsageException e) {
      // The records came from a file: whoever called us gave no wrong argument.
      throw new WorkFailedException("record %,d: %s".formatted(records + 1, e.getMessage()), e);
    } catch (UnsupportedOperationException e) {
      throw new WorkFailedException(
          "record '%s' has a value of %,d bytes, at most 2 GiB can be written"
              .formatted(text(key), value.byteSize()),
          e);
    }
    records++;
    bytes += key.byteSize() + value.byteSize();
    pending++;
    if (pending == commitEvery) {
      commit();
    }
  }

  private static String text(MemorySegment key) {
    return new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
  }

  private void commit() {
    pending = 0;
    WriteTransaction current = transaction;
    transaction = null;
    database = null;
    current.commit();
  }

  /** Commits what was not committed yet. */
  public void finish() {
    if (transaction != null) {
      commit();
    }
  }

  /** Records put so far, committed or not. */
  public long records() {
    return records;
  }

  /** Bytes of keys and values put so far. */
  public long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    try {
      if (transaction != null) {
        transaction.close();
      }
    } finally {
      environment.close();
    }
  }
}
