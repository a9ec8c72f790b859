package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.page.PageFormat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong is said in one line that names the file and the reason; nothing is damaged. */
class WriterErrorsTest {

  private static final byte[] VALUE = {1, 2, 3};

  @TempDir Path folder;

  private static byte[] key(String text) {
    return text.getBytes(US_ASCII);
  }

  /** An environment with one key. */
  private EnvironmentWriter environment(Path path) {
    EnvironmentWriter environment = EnvironmentWriter.open(path, WriterOptions.DEFAULT);
    try (WriteTransaction transaction = environment.begin()) {
      transaction.main().put(key("m"), VALUE);
      transaction.commit();
    }
    return environment;
  }

  private static void assertIntact(Path path, int entries) throws IOException {
    Image image = Image.of(Files.readAllBytes(path.resolve("data.mdb")));
    assertEquals(entries, image.databases().get("").entries().size());
  }

  private static <T extends TandemException> String line(Class<T> type, Executable action) {
    String message = assertThrows(type, action).getMessage();
    assertFalse(message.contains("\n"), message);
    return message;
  }

  @Test
  void badKeysAndAppendsAreRefusedAndTheTransactionGoesOn() throws IOException {
    try (EnvironmentWriter environment = environment(folder)) {
      try (WriteTransaction transaction = environment.begin()) {
        WriteDatabase main = transaction.main();
        assertEquals(
            "key of 512 bytes for database main: a key has 1 to 511 bytes",
            line(UsageException.class, () -> main.put(new byte[512], VALUE)));
        assertEquals(
            "empty key for database main: a key has 1 to 511 bytes",
            line(UsageException.class, () -> main.put(new byte[0], VALUE)));
        assertEquals(
            "unsorted append to database main: key 'c' does not sort after the last key 'm'",
            line(UsageException.class, () -> main.append(key("c"), VALUE)));
        line(UsageException.class, () -> main.append(key("m"), VALUE));
        main.append(key("n"), VALUE);
        main.put(new byte[511], VALUE);
        transaction.commit();
      }
    }
    assertIntact(folder, 3);
  }

  @Test
  void valuesThatDuplicatesCannotHaveAreRefused() {
    try (EnvironmentWriter environment = environment(folder);
        WriteTransaction transaction = environment.begin()) {
      WriteDatabase sorted = transaction.database("sorted", DatabaseFlags.DUP_SORT);
      assertEquals(
          "value of 512 bytes for database sorted: with duplicates a value has at most 511 bytes",
          line(UsageException.class, () -> sorted.put(key("k"), new byte[512])));
      WriteDatabase fixed =
          transaction.database("fixed", DatabaseFlags.DUP_SORT, DatabaseFlags.DUP_FIXED);
      fixed.put(key("k"), new byte[4]);
      assertEquals(
          "value of 5 bytes where the key's values have 4: DUP_FIXED wants one size",
          line(UsageException.class, () -> fixed.put(key("k"), new byte[5])));
      WriteDatabase integers = transaction.database("integers", DatabaseFlags.INTEGER_KEY);
      assertEquals(
          "key of 3 bytes for database integers: integer keys have 4 or 8",
          line(UsageException.class, () -> integers.put(new byte[3], VALUE)));
      integers.put(new byte[4], VALUE);
      assertEquals(
          "integers of one database have one size: 8 bytes given where 4 are stored",
          line(UsageException.class, () -> integers.put(new byte[8], VALUE)));
      assertEquals(
          "database fixed exists with other flags",
          line(UsageException.class, () -> transaction.database("fixed", DatabaseFlags.DUP_SORT)));
      assertEquals(
          "'fixed' is a named database; open it by name to change it",
          line(UsageException.class, () -> transaction.main().put(key("fixed"), VALUE)));
      assertEquals(
          "'m' is a key of the main database, no database",
          line(UsageException.class, () -> transaction.database("m")));
      transaction.commit();
    }
  }

  @Test
  void transactionsSayWhenTheyAreMisused() throws Exception {
    try (EnvironmentWriter environment = environment(folder)) {
      WriteTransaction transaction = environment.begin();
      WriteDatabase main = transaction.main();
      assertTrue(
          line(UsageException.class, environment::begin)
              .startsWith("this thread already has a write transaction"));
      Throwable[] failure = new Throwable[1];
      Thread other =
          Thread.ofPlatform()
              .name("other")
              .start(
                  () -> {
                    failure[0] = assertThrows(UsageException.class, transaction::commit);
                  });
      other.join();
      assertTrue(
          failure[0].getMessage().startsWith("thread other uses a transaction that thread "));
      transaction.commit();
      assertEquals(
          "the transaction has ended", line(UsageException.class, () -> main.put(key("a"), VALUE)));
    }
  }

  @Test
  void wrongPlacesAreNamed() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assertEquals(
        file + " is a file; an LMDB environment is a folder",
        line(WorkFailedException.class, () -> EnvironmentWriter.open(file, WriterOptions.DEFAULT)));
    Path below = file.resolve("below");
    String message =
        line(WorkFailedException.class, () -> EnvironmentWriter.open(below, WriterOptions.DEFAULT));
    assertTrue(message.startsWith("cannot create " + below), message);
    // Root may write anywhere, but nobody can open a folder as a file.
    Path taken = folder.resolve("taken");
    Files.createDirectories(taken.resolve("data.mdb"));
    message =
        line(WorkFailedException.class, () -> EnvironmentWriter.open(taken, WriterOptions.DEFAULT));
    assertTrue(message.contains(taken.resolve("data.mdb").toString()), message);
    assertEquals("text", Files.readString(file));
  }

  @Test
  void foreignAndDamagedFilesAreRefused() throws IOException {
    Path foreign = Files.createDirectories(folder.resolve("foreign"));
    Files.write(foreign.resolve("data.mdb"), new byte[10_000]);
    assertEquals(
        "cannot use "
            + foreign.resolve("data.mdb")
            + ": meta page 0 at offset 0: this is no LMDB file",
        line(
            WorkFailedException.class,
            () -> EnvironmentWriter.open(foreign, WriterOptions.DEFAULT)));

    Path newer = folder.resolve("newer");
    environment(newer).close();
    patch(newer, PageFormat.META_VERSION, 2);
    assertEquals(
        "cannot use "
            + newer.resolve("data.mdb")
            + ": meta page 0 at offset 0: it has data version 2, and only version 1 (LMDB 0.9) is"
            + " written",
        line(
            WorkFailedException.class, () -> EnvironmentWriter.open(newer, WriterOptions.DEFAULT)));

    Path damaged = folder.resolve("damaged");
    environment(damaged).close();
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(damaged.resolve("data.mdb")));
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    long root = TreeRecord.read(bytes, 4096 + PageFormat.META_MAIN_DB).root;
    patch(damaged, root * 4096 + 12, 0x0FFF_0011);
    try (EnvironmentWriter environment = EnvironmentWriter.open(damaged, WriterOptions.DEFAULT);
        WriteTransaction transaction = environment.begin()) {
      WriteDatabase main = transaction.main();
      assertEquals(
          damaged.resolve("data.mdb")
              + " is damaged at page "
              + root
              + ", offset "
              + (root * 4096 + 12)
              + ": free space from 17 to 4095",
          line(WorkFailedException.class, () -> main.put(key("a"), VALUE)));
      assertEquals(
          "the transaction failed and can only be closed",
          line(UsageException.class, transaction::commit));
    }
  }

  private static void patch(Path environment, long offset, int value) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(environment.resolve("data.mdb").toFile(), "rw")) {
      file.seek(offset);
      file.writeInt(Integer.reverseBytes(value));
    }
  }

  @Test
  void aFullDiskCostsOnlyTheTransaction() throws IOException {
    mounted(
        "size=2m",
        mount -> {
          try (EnvironmentWriter environment = environment(mount)) {
            String message;
            try (WriteTransaction transaction = environment.begin()) {
              WriteDatabase main = transaction.main();
              message =
                  line(
                      WorkFailedException.class,
                      () -> {
                        for (int i = 0; i < 5000; i++) {
                          main.put(key("key" + i), new byte[3000]);
                        }
                        transaction.commit();
                      });
            }
            assertEquals(
                "cannot write "
                    + mount.resolve("data.mdb")
                    + ": the disk is full; free some space and run again",
                message);
            assertIntact(mount, 1);
            try (WriteTransaction transaction = environment.begin()) {
              transaction.main().put(key("small"), VALUE);
              assertArrayEquals(VALUE, transaction.main().get(key("m")));
              transaction.commit();
            }
          }
          assertIntact(mount, 2);
        });
  }

  @Test
  void aReadOnlyPlaceIsNamed() throws IOException {
    mounted(
        "size=2m",
        mount -> {
          environment(mount).close();
          Peer.run("mount", "-o", "remount,ro", mount.toString());
          String message =
              line(
                  WorkFailedException.class,
                  () -> EnvironmentWriter.open(mount, WriterOptions.DEFAULT));
          assertEquals(
              "cannot open " + mount.resolve("lock.mdb") + ": Read-only file system", message);
          assertIntact(mount, 1);
        });
  }

  private interface MountedAction {
    void run(Path mount) throws IOException;
  }

  private void mounted(String options, MountedAction action) throws IOException {
    Path mount = Files.createDirectories(folder.resolve("mount"));
    boolean mounted =
        Files.isExecutable(Path.of("/usr/bin/mount"))
            && Peer.run("mount", "-t", "tmpfs", "-o", options, "tmpfs", mount.toString()).code()
                == 0;
    if (!mounted) {
      System.out.println("skipped: cannot mount a small tmpfs (needs root)");
    }
    Assumptions.assumeTrue(mounted, "cannot mount a small tmpfs (needs root)");
    try {
      action.run(mount);
    } finally {
      Peer.run("umount", mount.toString());
    }
  }
}
