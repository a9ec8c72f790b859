package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Reference;
import dev.tandem.lmdb.Reference.Expected;
import dev.tandem.lmdb.Reference.Pair;
import dev.tandem.lmdb.Reference.Sought;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hundreds of random databases written by liblmdb: we must read exactly what liblmdb reads. */
class ReferenceDatabasesTest {

  private static final int ROUND = 40;

  /** liblmdb takes its machine's page size for new files and keeps to that of those it finds. */
  private static final int[] PAGE_SIZES = {4096, 16_384, 4096, 8192, 32_768};

  @TempDir Path folder;

  @Test
  void readsWhatLiblmdbReads() throws Exception {
    readsWhatLiblmdbReads(ROUND);
  }

  @Test
  @Tag("slow")
  void readsWhatLiblmdbReadsInManyCases() throws Exception {
    readsWhatLiblmdbReads(5 * ROUND);
  }

  private void readsWhatLiblmdbReads(int cases) throws Exception {
    Reference.assume();
    Seed seed = TestSeed.of(ReferenceDatabasesTest.class);
    for (int first = 0; first < cases; first += ROUND) {
      for (int number = first; number < first + ROUND; number++) {
        int pageSize = PAGE_SIZES[number % PAGE_SIZES.length];
        EnvironmentWriter.open(
                folder.resolve(Integer.toString(number)),
                WriterOptions.DEFAULT.withPageSize(pageSize))
            .close();
      }
      Reference.makeDatabases(folder, seed, first, ROUND);
      for (int number = first; number < first + ROUND; number++) {
        Path one = folder.resolve(Integer.toString(number));
        try {
          checkEnvironment(one, seed.derive(number).random());
        } catch (Throwable e) {
          throw new AssertionError("case " + number + " of seed " + seed.value(), e);
        }
        try (var files = Files.list(one)) {
          for (Path file : files.toList()) {
            Files.delete(file);
          }
        }
      }
    }
  }

  private static void checkEnvironment(Path path, SplittableRandom random) throws Exception {
    List<Expected> databases = Reference.expected(path);
    try (Environment environment = Environment.open(path);
        Snapshot snapshot = environment.snapshot()) {
      List<String> names =
          databases.stream().map(Expected::name).filter(n -> !n.isEmpty()).sorted().toList();
      assertEquals(names, snapshot.databaseNames().stream().sorted().toList());
      StructureCheck.Report report = StructureCheck.run(snapshot, Progress.SILENT);
      assertEquals(List.of(), report.problems());
      assertEquals(0, report.census().lost());
      for (Expected expected : databases) {
        Database database =
            expected.name().isEmpty() ? snapshot.main() : snapshot.database(expected.name());
        try {
          checkDatabase(expected, database, random);
          checkIndex(path, expected, database, snapshot);
        } catch (Throwable e) {
          throw new AssertionError("database '" + expected.name() + "' " + expected.flags(), e);
        }
      }
    }
  }

  private static void checkDatabase(Expected expected, Database database, SplittableRandom random) {
    assertEquals(expected.statistics(), database.statistics());
    List<Pair> records = expected.records();
    Cursor cursor = database.cursor();
    for (int i = 0; i < records.size(); i++) {
      assertTrue(cursor.next());
      assertRecord(records, i, cursor);
    }
    assertFalse(cursor.next());
    assertFalse(cursor.next());
    cursor = database.cursor();
    for (int i = records.size() - 1; i >= 0; i--) {
      assertTrue(cursor.previous());
      assertRecord(records, i, cursor);
    }
    assertFalse(cursor.previous());
    checkSeeks(expected, database);
    checkOrdinals(records, database, random);
  }

  private static void checkSeeks(Expected expected, Database database) {
    List<Pair> records = expected.records();
    Cursor cursor = database.cursor();
    for (Sought sought : expected.seeks()) {
      assertEquals(sought.found(), cursor.seek(sought.key()));
      if (sought.found()) {
        assertRecord(records, sought.ordinal(), cursor);
        byte[] key = records.get(sought.ordinal()).key();
        assertTrue(cursor.seekExact(MemorySegment.ofArray(key)));
        assertRecord(records, sought.ordinal(), cursor);
        if (sought.ordinal() > 0) {
          assertTrue(cursor.previous());
          assertRecord(records, sought.ordinal() - 1, cursor);
        }
      }
    }
    for (Sought sought : expected.duplicateSeeks()) {
      assertEquals(sought.found(), cursor.seekDuplicate(sought.key(), sought.value()));
      if (sought.found()) {
        assertRecord(records, sought.ordinal(), cursor);
      }
    }
  }

  private static void checkOrdinals(
      List<Pair> records, Database database, SplittableRandom random) {
    Cursor cursor = database.cursor();
    assertFalse(cursor.seekOrdinal(-1));
    assertFalse(cursor.seekOrdinal(records.size()));
    assertFalse(cursor.positioned());
    for (int i = 0; i < Math.min(100, records.size()); i++) {
      int ordinal = random.nextInt(records.size());
      assertTrue(cursor.seekOrdinal(ordinal));
      assertRecord(records, ordinal, cursor);
      if (ordinal + 1 < records.size()) {
        assertTrue(cursor.next());
        assertRecord(records, ordinal + 1, cursor);
      }
    }
  }

  /** The index leads to the values' bytes in the file, also after a way through its file. */
  private static void checkIndex(Path path, Expected expected, Database database, Snapshot snapshot)
      throws Exception {
    RecordIndex built = RecordIndex.build(database, false, Progress.SILENT);
    RecordIndex decoded = RecordIndexFile.decode(RecordIndexFile.encode(built));
    assertTrue(decoded.describes(database));
    List<Pair> records = expected.records();
    try (FileChannel file = FileChannel.open(path.resolve("data.mdb"), StandardOpenOption.READ)) {
      for (RecordIndex index : List.of(built, decoded)) {
        assertEquals(records.size(), index.size());
        for (int i = 0; i < records.size(); i++) {
          byte[] value = records.get(i).value();
          assertEquals(value.length, index.length(i));
          ByteBuffer bytes = ByteBuffer.allocate(value.length);
          while (bytes.hasRemaining()
              && file.read(bytes, index.offset(i) + bytes.position()) > 0) {}
          assertArrayEquals(value, bytes.array());
        }
      }
    }
    for (int i = 0; i < records.size(); i += 1 + records.size() / 50) {
      assertArrayEquals(
          records.get(i).key(), decoded.key(snapshot, i).toArray(ValueLayout.JAVA_BYTE));
    }
  }

  private static void assertRecord(List<Pair> records, int ordinal, Cursor cursor) {
    assertArrayEquals(records.get(ordinal).key(), cursor.key().toArray(ValueLayout.JAVA_BYTE));
    assertArrayEquals(records.get(ordinal).value(), cursor.value().toArray(ValueLayout.JAVA_BYTE));
  }
}
