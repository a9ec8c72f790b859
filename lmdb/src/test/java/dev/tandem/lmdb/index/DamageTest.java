package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Reference;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged files give one clear line: no crash of the JVM, no endless loop, no memory beyond what
 * the file is worth. Values may be wrong.
 */
class DamageTest {

  private static final List<String> BASES =
      List.of("plain", "deep", "duplicates", "fixed", "named");

  /** Bytes that reading one damaged file may allocate, in all threads' sum far less live. */
  private static final long ALLOCATION_LIMIT = 64L << 20;

  @TempDir Path folder;

  @Test
  void damagedFilesGiveOneLine() throws Exception {
    mutate(600, TestSeed.of(DamageTest.class));
  }

  @Tag("slow")
  @Test
  void twentyThousandDamagedFilesGiveOneLine() throws Exception {
    mutate(20_000, TestSeed.of(DamageTest.class));
  }

  private void mutate(int count, Seed seed) throws Exception {
    Reference.assume();
    Reference.run(
        Reference.script(folder, "make_bases.py"),
        folder.toString(),
        Long.toString(seed.value() & 0xFFFF_FFFFL));
    List<byte[]> good = new ArrayList<>();
    for (String base : BASES) {
      Path file = folder.resolve(base).resolve("data.mdb");
      good.add(Files.readAllBytes(file));
      assertTrue(readAll(file), base);
    }
    int noticed = 0;
    for (int i = 0; i < count; i++) {
      SplittableRandom random = seed.derive(i).random();
      Mutation.Result damaged = Mutation.of(good.get(i % good.size()), random);
      Path file = folder.resolve("damaged.mdb");
      try (FileChannel out =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        out.write(damaged.bytes());
      }
      try {
        if (!Watchdog.within(Duration.ofSeconds(60), () -> readAll(file))) {
          noticed++;
        }
      } catch (Throwable e) {
        Files.copy(file, Path.of("target", "damaged-" + seed.value() + "-" + i + ".mdb"));
        throw new AssertionError(
            "file " + i + " of seed " + seed.value() + ": " + damaged.what(), e);
      }
    }
    System.out.println("DamageTest: " + noticed + " of " + count + " damaged files noticed");
    assertTrue(noticed > count / 4, noticed + " noticed");
  }

  /** Does everything one can do with an environment; false if it said that it is damaged. */
  private static boolean readAll(Path file) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    int failures = 0;
    try (Environment environment = Environment.open(file)) {
      failures += attempt(() -> readDatabases(environment));
      try (Snapshot snapshot = environment.snapshot()) {
        StructureCheck.Report report = StructureCheck.run(snapshot, Progress.SILENT);
        for (String problem : report.problems()) {
          assertFalse(problem.contains("\n"), problem);
        }
        failures += report.sound() ? 0 : 1;
      }
    } catch (DamagedDatabaseException e) {
      assertOneLine(e, file);
      failures++;
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(allocated < ALLOCATION_LIMIT, allocated + " bytes allocated");
    return failures == 0;
  }

  private static void readDatabases(Environment environment) {
    try (Snapshot snapshot = environment.snapshot()) {
      List<Database> databases = new ArrayList<>();
      databases.add(snapshot.freeList());
      databases.add(snapshot.main());
      int failures =
          attempt(
              () -> {
                for (String name : snapshot.databaseNames()) {
                  attempt(() -> databases.add(snapshot.database(name)));
                }
              });
      for (Database database : databases) {
        failures += attempt(() -> walk(database, true));
        failures += attempt(() -> walk(database, false));
        failures += attempt(() -> seek(database));
        failures += attempt(() -> index(database));
      }
      if (failures > 0) {
        throw new DamagedDatabaseException(environment.file(), 0, 0, "see above");
      }
    }
  }

  /** Runs work that may say that the file is damaged; 1 if it does. */
  private static int attempt(Runnable work) {
    try {
      work.run();
      return 0;
    } catch (DamagedDatabaseException e) {
      assertFalse(e.getMessage().contains("\n"), e.getMessage());
      return 1;
    } catch (WorkFailedException e) {
      // A flag bit less, and what was a named database is a plain value.
      assertTrue(e.getMessage().startsWith("there is no database"), e.getMessage());
      return 1;
    }
  }

  private static void assertOneLine(DamagedDatabaseException e, Path file) {
    String message = e.getMessage();
    assertTrue(
        message.startsWith(
            file + " is damaged at page " + e.page() + " (byte " + e.offset() + "): "),
        message);
    assertFalse(message.contains("\n"), message);
  }

  private static void walk(Database database, boolean forward) {
    Cursor cursor = database.cursor();
    long sum = 0;
    while (forward ? cursor.next() : cursor.previous()) {
      sum += touch(cursor.key()) + touch(cursor.value());
    }
    assertTrue(sum >= 0);
  }

  private static int touch(MemorySegment bytes) {
    long size = bytes.byteSize();
    if (size == 0) {
      return 0;
    }
    return (bytes.get(ValueLayout.JAVA_BYTE, 0) & 1)
        + (bytes.get(ValueLayout.JAVA_BYTE, size - 1) & 1);
  }

  private static void seek(Database database) {
    Cursor cursor = database.cursor();
    SplittableRandom random = new SplittableRandom(7);
    byte[] key = new byte[8];
    for (int i = 0; i < 20; i++) {
      random.nextBytes(key);
      if (cursor.seek(key)) {
        touch(cursor.value());
      }
      cursor.seekExact(key);
      if (database.statistics().hasDuplicates() && cursor.first()) {
        cursor.seekDuplicate(cursor.key().toArray(ValueLayout.JAVA_BYTE), key);
      }
      long size = Math.max(1, database.size());
      if (cursor.seekOrdinal(random.nextLong(size))) {
        touch(cursor.value());
        cursor.next();
      }
    }
  }

  private static void index(Database database) {
    RecordIndex index = RecordIndex.build(database, true, Progress.SILENT);
    index.verify(database, Progress.SILENT);
    RecordIndexFile.decode(RecordIndexFile.encode(index));
  }

  @Test
  void foreignFilesAreNamed() throws Exception {
    Path file = folder.resolve("foreign");
    Files.writeString(file, "This is a text file. ".repeat(1000), StandardCharsets.UTF_8);
    assertMessage(file, " is damaged at page 0 (byte 16): this is no LMDB database");
    Files.write(file, new byte[0]);
    assertMessage(
        file,
        " is damaged at page 0 (byte 0): the file ends within meta page 0; it is no LMDB database"
            + " or was cut off");
    Files.write(file, new byte[100_000]);
    assertMessage(file, " is damaged at page 0 (byte 16): this is no LMDB database");
    assertEquals(
        "cannot open " + folder.resolve("data.mdb") + ": no such file or folder",
        assertThrows(WorkFailedException.class, () -> Environment.open(folder)).getMessage());
    Path missing = folder.resolve("missing");
    assertEquals(
        "cannot open " + missing + ": no such file or folder",
        assertThrows(WorkFailedException.class, () -> Environment.open(missing)).getMessage());
  }

  @Test
  void version2IsRefusedWithTheRemedy() throws Exception {
    Reference.assume();
    Reference.run(Reference.script(folder, "make_bases.py"), folder.toString(), "1");
    Path file = folder.resolve("plain").resolve("data.mdb");
    byte[] bytes = Files.readAllBytes(file);
    bytes[PageFormat.META_VERSION] = 2;
    Files.write(file, bytes);
    assertMessage(
        file,
        " is damaged at page 0 (byte 20): data version 2 instead of 1; it was written by LMDB"
            + " 0.9.90 or later, copy it with mdb_dump and mdb_load");
  }

  /**
   * The name of the last database is cut short, so that it stands behind names that it precedes.
   */
  @Test
  void aNamedDatabaseOutOfOrderIsReported() throws Exception {
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder, WriterOptions.DEFAULT);
        WriteTransaction transaction = writer.begin()) {
      for (String name : List.of("db0", "db1", "db2")) {
        transaction.database(name).put(new byte[] {1}, new byte[] {2});
      }
      transaction.commit();
    }
    Path file = folder.resolve("data.mdb");
    byte[] bytes = Files.readAllBytes(file);
    int key = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("db2");
    assertEquals(3, bytes[key - 2]);
    bytes[key - 2] = 1;
    Files.write(file, bytes);
    try (Environment environment = Environment.open(file);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(List.of("db0", "db1", "d"), snapshot.databaseNames());
      List<String> problems = StructureCheck.run(snapshot, Progress.SILENT).problems();
      assertTrue(
          problems.contains(file + ": database 'd' is not found where its name belongs"),
          problems.toString());
    }
  }

  private static void assertMessage(Path file, String message) {
    var e = assertThrows(DamagedDatabaseException.class, () -> Environment.open(file));
    assertEquals(file + message, e.getMessage());
  }

  /** Touching a mapping behind the end of its file is a bus error, which must not end the JVM. */
  @Test
  void fileCutOffWhileItIsReadGivesOneLine() throws Exception {
    Reference.assume();
    Reference.run(Reference.script(folder, "make_bases.py"), folder.toString(), "2");
    Path file = folder.resolve("deep").resolve("data.mdb");
    byte[] bytes = Files.readAllBytes(file);
    // Often enough for compiled code, where the error arrives later than in the interpreter.
    for (int round = 0; round < 300; round++) {
      Files.write(file, bytes);
      try (Environment environment = Environment.open(file);
          Snapshot snapshot = environment.snapshot()) {
        Cursor cursor = snapshot.main().cursor();
        assertTrue(cursor.first());
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
          cut.setLength(2L * 4096);
        }
        var e =
            assertThrows(
                DamagedDatabaseException.class,
                () -> {
                  while (cursor.next()) {
                    cursor.key();
                  }
                });
        assertFalse(e.getMessage().contains("\n"));
      }
    }
  }
}
