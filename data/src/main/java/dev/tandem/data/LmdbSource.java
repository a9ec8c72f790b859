package dev.tandem.data;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The records of an LMDB environment's main database, in the state in which it was opened. Records
 * are views of the mapped file.
 */
public final class LmdbSource implements RecordSource {

  private static final int PAGE = 4096;

  private final Environment environment;
  private final Snapshot snapshot;
  private final Database database;

  /** Cursors are for one thread; each reading thread gets its own. */
  private final ThreadLocal<Cursor> cursors;

  /** Keeps the compiler from leaving out reads whose only use is that pages come into memory. */
  @SuppressWarnings("unused")
  private volatile int touched;

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

  /** Finds the records in the order of the database and brings their pages into memory. */
  @Override
  public RecordBlock fetch(long[] ordinals) {
    DataRecord[] records = new DataRecord[ordinals.length];
    int[] places =
        IntStream.range(0, ordinals.length)
            .boxed()
            .sorted(Comparator.comparingLong(place -> ordinals[place]))
            .mapToInt(Integer::intValue)
            .toArray();
    int sum = 0;
    for (int place : places) {
      DataRecord record = record(ordinals[place]);
      records[place] = record;
      for (long at = 0; at < record.value().byteSize(); at += PAGE) {
        sum += record.value().get(ValueLayout.JAVA_BYTE, at);
      }
    }
    touched = sum;
    return new HeldRecords(records);
  }

  @Override
  public void close() {
    snapshot.close();
    environment.close();
  }
}
