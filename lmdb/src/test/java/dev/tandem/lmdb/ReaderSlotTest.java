package dev.tandem.lmdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.lmdb.page.LockFile;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slots in the table of readers, as a liblmdb process beside us sees them. */
class ReaderSlotTest {

  private static final String SCRIPT =
      """
      import lmdb, sys
      env = lmdb.open(sys.argv[1], map_size=1 << 26, max_readers=4)
      def commit(n):
          with env.begin(write=True) as txn:
              txn.put(b"key", b"%d" % n)
      commit(0)
      print("ready", flush=True)
      held = []
      for line in sys.stdin:
          if line.startswith("readers"):
              lines = env.readers().strip().splitlines()
              print(";".join(" ".join(l.split()) for l in lines), flush=True)
          elif line.startswith("read"):
              held.append(env.begin())
              print(held[-1].id(), flush=True)
          else:
              commit(int(line))
              print("done", flush=True)
      """;

  @TempDir Path folder;
  private Process peer;
  private BufferedWriter commands;
  private BufferedReader answers;

  @BeforeEach
  void startPeer() throws Exception {
    Reference.assume();
    Path script = folder.resolve("peer.py");
    Files.writeString(script, SCRIPT, StandardCharsets.UTF_8);
    peer = Reference.start(script, folder.toString());
    commands = peer.outputWriter(StandardCharsets.UTF_8);
    answers = peer.inputReader(StandardCharsets.UTF_8);
    assertEquals("ready", answers.readLine());
  }

  @AfterEach
  void stopPeer() {
    if (peer != null) {
      peer.destroyForcibly();
    }
  }

  private String ask(String line) throws Exception {
    commands.write(line + "\n");
    commands.flush();
    return answers.readLine();
  }

  @Test
  void liblmdbSeesOurSlotWhileASnapshotIsOpen() throws Exception {
    long pid = ProcessHandle.current().pid();
    try (Environment environment = Environment.open(folder)) {
      try (Snapshot snapshot = environment.snapshot()) {
        String readers = ask("readers");
        assertTrue(readers.contains(pid + " "), readers);
        assertTrue(readers.endsWith(" " + snapshot.transaction()), readers);
      }
      assertEquals("(no active readers)", ask("readers"));
      // Commits go on, and the slot is taken again.
      assertEquals("done", ask("1"));
      try (Snapshot snapshot = environment.snapshot()) {
        assertTrue(ask("readers").endsWith(" " + snapshot.transaction()));
      }
    }
    assertEquals("(no active readers)", ask("readers"));
  }

  @Test
  void slotsOfTheDeadAreCleared() throws Exception {
    // Somebody must keep the environment open, or the next to open it makes the table anew.
    try (Environment keeper = Environment.open(folder);
        Snapshot first = keeper.snapshot()) {
      long dead = peer.pid();
      ask("read");
      peer.destroyForcibly().waitFor();
      LockFile lock = LockFile.openOrCreate(folder.resolve("lock.mdb"), () -> 0);
      try {
        assertTrue(slots(lock).contains((int) dead));
        lock.clearStaleReaders();
        assertEquals(List.of((int) ProcessHandle.current().pid()), slots(lock));
      } finally {
        lock.close();
      }
      assertTrue(first.protectedBySlot());
    }
  }

  private static List<Integer> slots(LockFile lock) {
    List<Integer> owners = new ArrayList<>();
    for (int slot = 0; slot < lock.slotsUsed(); slot++) {
      if (lock.slotPid(slot) != 0) {
        owners.add(lock.slotPid(slot));
      }
    }
    return owners;
  }

  @Test
  void aFullTableIsNoError() throws Exception {
    List<Snapshot> open = new ArrayList<>();
    try (Environment environment = Environment.open(folder)) {
      for (int i = 0; i < 200; i++) {
        open.add(environment.snapshot());
      }
      assertTrue(open.getFirst().protectedBySlot());
      assertFalse(open.getLast().protectedBySlot());
      for (Snapshot snapshot : open) {
        assertTrue(snapshot.main().cursor().first());
        snapshot.close();
      }
      try (Snapshot snapshot = environment.snapshot()) {
        assertTrue(snapshot.protectedBySlot());
      }
    }
  }

  @Test
  void aMissingLockFileIsNoError() throws Exception {
    Path copy = Files.createDirectory(folder.resolve("copy"));
    Files.copy(folder.resolve("data.mdb"), copy.resolve("data.mdb"));
    try (Environment environment = Environment.open(copy);
        Snapshot snapshot = environment.snapshot()) {
      assertFalse(snapshot.protectedBySlot());
      assertEquals(1, snapshot.main().size());
    }
    assertFalse(Files.exists(copy.resolve("lock.mdb")));
  }
}
