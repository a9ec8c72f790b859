package dev.tandem.data;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.nio.file.Path;

/**
 * The records of an LMDB environment's main database, in the state in which it was opened. Records
 * are views of the mapped file.
 */
public final class LmdbSource implements RecordSource {

  private final Environment environment;
  private final Snapshot snapshot;
  private final Database database;

  /** Cursors are for one thread; each reading thread gets its own. */
  private final ThreadLocal<Cursor> cursors;

  private LmdbSource(Environment environment, Snapshot snapshot) {
    this.environment = environment;
    this.snapshot = snapshot;
    this.database = snapshot.main();
    this.cursors = ThreadLocal.withInitial(database::cursor);
  }

  /** Opens an environment by its folder or its data file. */
  public static LmdbSource open(Path path) {
    Environment environment = Environment.open(path);
    try {
      return new LmdbSource(environment, environment.snapshot());
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  @Override
  public long size() {
    return database.statistics().entries();
  }

  @Override
  public DataRecord record(long ordinal) {
    Cursor cursor = cursors.get();
    if (!cursor.seekOrdinal(ordinal)) {
      throw new IndexOutOfBoundsException("record " + ordinal + " of " + size());
    }
    return new DataRecord(cursor.key(), cursor.value());
  }

  @Override
  public void close() {
    snapshot.close();
    environment.close();
  }
}
