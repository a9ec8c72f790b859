package dev.tandem.data;

import dev.tandem.core.Ranges;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;

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
    int sum = 0;
    for (int place : inOrderOfOrdinals(ordinals)) {
      DataRecord record = record(ordinals[place]);
      records[place] = record;
      sum += touch(record.value());
    }
    touched = sum;
    return new HeldRecords(records);
  }

  @Override
  public boolean readsParts() {
    return true;
  }

  /** Copies the parts out of the mapped file, the rest of which stays where it is. */
  @Override
  public RecordBlock fetch(long[] ordinals, Ranges parts) {
    DataRecord[] records = new DataRecord[ordinals.length];
    for (int place : inOrderOfOrdinals(ordinals)) {
      records[place] = ValueParts.of(record(ordinals[place]), parts);
    }
    return new HeldRecords(records);
  }

  private static int touch(MemorySegment value) {
    int sum = 0;
    for (long at = 0; at < value.byteSize(); at += PAGE) {
      sum += value.get(ValueLayout.JAVA_BYTE, at);
    }
    // A value need not begin where a page does.
    return value.byteSize() == 0 ? 0 : sum + value.get(ValueLayout.JAVA_BYTE, value.byteSize() - 1);
  }

  private static int[] inOrderOfOrdinals(long[] ordinals) {
    int count = ordinals.length;
    long[] keyed = new long[count];
    for (int place = 0; place < count; place++) {
      keyed[place] = Math.addExact(Math.multiplyExact(ordinals[place], (long) count), place);
    }
    Arrays.sort(keyed);
    return Arrays.stream(keyed).mapToInt(key -> Math.floorMod(key, count)).toArray();
  }

  @Override
  public void close() {
    snapshot.close();
    environment.close();
  }
}
