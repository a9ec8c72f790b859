package dev.tandem.lmdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.lmdb.page.LockFile;
import dev.tandem.lmdb.page.SnapshotOverwrittenException;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A liblmdb process writes all the time; every snapshot is one of its commits, or says it is not.
 */
class ConcurrentWriterTest {

  private static final ValueLayout.OfLong NUMBER =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @TempDir Path folder;
  private Process writer;
  private BufferedReader answers;

  @BeforeEach
  void startWriter() throws IOException {
    Reference.assume();
    writer = Reference.start(Reference.script(folder, "keep_writing.py"), folder.toString());
    answers = writer.inputReader();
    assertEquals("ready", answers.readLine());
  }

  @AfterEach
  void stopWriter() throws Exception {
    if (writer != null) {
      writer.getOutputStream().close();
      long commits = Long.parseLong(answers.readLine());
      System.out.println("ConcurrentWriterTest: the writer made " + commits + " commits");
      assertEquals(0, writer.waitFor());
    }
  }

  /** The number of the commit that the snapshot is of, from all its values. */
  private static long commitOf(Snapshot snapshot, Cursor cursor) {
    long commit = -1;
    int records = 0;
    assertTrue(cursor.first());
    do {
      MemorySegment value = cursor.value();
      long first = value.get(NUMBER, 0);
      for (long at = 0; at < value.byteSize(); at += 8) {
        if (value.get(NUMBER, at) != first) {
          snapshot.ensureIntact();
          throw new AssertionError("a value of two commits");
        }
      }
      if (commit >= 0 && first != commit) {
        snapshot.ensureIntact();
        throw new AssertionError("values of commits " + commit + " and " + first);
      }
      commit = first;
      records++;
    } while (cursor.next());
    snapshot.ensureIntact();
    assertEquals(300, records);
    return commit;
  }

  @Test
  void slotsKeepSnapshots() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          try (Environment environment = Environment.open(folder)) {
            long previous = 0;
            for (int round = 0; round < 60; round++) {
              try (Snapshot snapshot = environment.snapshot();
                  Snapshot second = environment.snapshot()) {
                assertTrue(snapshot.protectedBySlot());
                Cursor cursor = snapshot.main().cursor();
                long commit = commitOf(snapshot, cursor);
                assertTrue(commit >= previous);
                // Read again and again while the writer goes on: it must not change.
                for (int again = 0; again < 5; again++) {
                  assertEquals(commit, commitOf(snapshot, cursor));
                }
                assertTrue(commitOf(second, second.main().cursor()) >= commit);
                assertTrue(StructureCheck.run(snapshot, Progress.SILENT).sound());
                previous = commit;
              }
            }
          }
          return null;
        });
    assertEquals(0, slotsOfThisProcess());
  }

  private long slotsOfThisProcess() throws IOException {
    byte[] lock = Files.readAllBytes(folder.resolve("lock.mdb"));
    long pid = ProcessHandle.current().pid();
    long count = 0;
    for (int slot = LockFile.SLOTS_AT; slot + 64 <= lock.length; slot += 64) {
      count +=
          MemorySegment.ofArray(lock).get(ValueLayout.JAVA_INT_UNALIGNED, slot + 8) == pid ? 1 : 0;
    }
    return count;
  }

  @Test
  void withoutSlotsOverwrittenSnapshotsSaySo() throws Exception {
    int[] results = new int[2];
    Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          try (Environment environment = Environment.openWithoutLock(folder)) {
            for (int round = 0; round < 300 || (results[0] == 0 && round < 5000); round++) {
              try (Snapshot snapshot = environment.snapshot()) {
                assertFalse(snapshot.protectedBySlot());
                commitOf(snapshot, snapshot.main().cursor());
                results[0]++;
              } catch (SnapshotOverwrittenException e) {
                results[1]++;
              }
            }
            // A snapshot that is held long enough is overwritten for sure.
            try (Snapshot snapshot = environment.snapshot()) {
              Cursor cursor = snapshot.main().cursor();
              assertThrows(
                  SnapshotOverwrittenException.class,
                  () -> {
                    while (true) {
                      commitOf(snapshot, cursor);
                    }
                  });
            }
          }
          return null;
        });
    System.out.println(
        "ConcurrentWriterTest: " + results[0] + " whole snapshots, " + results[1] + " overwritten");
    assertTrue(results[0] > 0);
  }
}
