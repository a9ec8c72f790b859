package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Reference;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One writer at a time, and pages that a reader sees stay as they are. */
class WriterLockTest {

  private static final byte[] KEY = "key".getBytes(US_ASCII);

  @TempDir Path folder;

  private static void put(EnvironmentWriter environment, int size) {
    try (WriteTransaction transaction = environment.begin()) {
      transaction.main().put(KEY, new byte[size]);
      transaction.commit();
    }
  }

  @Test
  void theLockFileIsAsLiblmdbMakesIt() throws Exception {
    Reference.assume();
    Path script = folder.resolve("make.py");
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    Files.writeString(script, "import lmdb, sys; lmdb.open(sys.argv[1])");
    Reference.run(script, theirs.toString());
    EnvironmentWriter.open(folder, WriterOptions.DEFAULT).close();
    byte[] expected = Files.readAllBytes(theirs.resolve("lock.mdb"));
    byte[] ours = Files.readAllBytes(folder.resolve("lock.mdb"));
    assertEquals(expected.length, ours.length);
    assertArrayEquals(Arrays.copyOf(expected, 8), Arrays.copyOf(ours, 8), "magic and format");
  }

  @Test
  void aSecondWriterWaitsOrIsTold() throws Exception {
    try (EnvironmentWriter first = EnvironmentWriter.open(folder, WriterOptions.DEFAULT);
        EnvironmentWriter second =
            EnvironmentWriter.open(
                folder, WriterOptions.DEFAULT.withLockWait(Duration.ofMillis(50)));
        EnvironmentWriter third = EnvironmentWriter.open(folder, WriterOptions.DEFAULT);
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CountDownLatch about = new CountDownLatch(1);
      Future<?> waiting;
      try (WriteTransaction transaction = first.begin()) {
        transaction.main().put(KEY, new byte[1]);
        Future<?> refused = threads.submit(second::begin);
        String message =
            Watchdog.within(
                Duration.ofSeconds(20),
                () -> assertThrows(ExecutionException.class, refused::get).getCause().getMessage());
        assertEquals(
            "another writer has " + folder.resolve("lock.mdb") + " locked; waited PT0.05S",
            message);
        waiting =
            threads.submit(
                () -> {
                  about.countDown();
                  put(third, 2);
                });
        about.await();
        transaction.commit();
      }
      Watchdog.within(Duration.ofSeconds(20), () -> waiting.get());
    }
    assertEquals(2, transactions());
  }

  private long transactions() throws IOException {
    return Image.of(Files.readAllBytes(folder.resolve("data.mdb"))).transaction();
  }

  @Test
  void virtualThreadsAreRefused() throws Exception {
    try (EnvironmentWriter environment = EnvironmentWriter.open(folder, WriterOptions.DEFAULT)) {
      Throwable[] failure = new Throwable[1];
      Thread.ofVirtual()
          .start(() -> failure[0] = assertThrows(UsageException.class, environment::begin))
          .join();
      assertEquals(
          "a write transaction needs a platform thread: LMDB's lock belongs to one",
          failure[0].getMessage());
    }
  }

  @Test
  void aReadersPagesAreKeptUntilItEnds() throws Exception {
    try (EnvironmentWriter environment = EnvironmentWriter.open(folder, WriterOptions.DEFAULT);
        Peer peer = Peer.start()) {
      put(environment, 400_000);
      String before = peer.ask("digest " + folder + " -");
      peer.ask("reader " + folder + " open");
      long growing = 0;
      for (int i = 0; i < 5; i++) {
        put(environment, 400_000);
        growing = Files.size(folder.resolve("data.mdb"));
      }
      assertTrue(growing > 2_400_000, "each version in pages of its own: " + growing);
      assertEquals(before, peer.ask("digest " + folder + " -"));
      peer.ask("reader " + folder + " close");
      for (int i = 0; i < 20; i++) {
        put(environment, 400_000);
      }
      assertTrue(Files.size(folder.resolve("data.mdb")) <= growing + 900_000);
    }
    Image.of(Files.readAllBytes(folder.resolve("data.mdb")));
  }

  @Test
  void aDeadReadersSlotIsCleared() throws Exception {
    try (EnvironmentWriter environment = EnvironmentWriter.open(folder, WriterOptions.DEFAULT)) {
      put(environment, 100_000);
      try (Peer peer = Peer.start()) {
        peer.ask("reader " + folder + " open");
        assertEquals(1, environment.lock().slotsUsed());
        assertEquals(1, environment.lock().oldestReader(99));
        peer.kill();
      }
      for (int i = 0; i < 20; i++) {
        put(environment, 100_000);
      }
      assertEquals(99, environment.lock().oldestReader(99));
      assertTrue(Files.size(folder.resolve("data.mdb")) < 600_000);
    }
  }

  @Test
  void aWriterOfAnotherProcessIsWaitedFor() throws Exception {
    try (EnvironmentWriter environment =
            EnvironmentWriter.open(folder, WriterOptions.DEFAULT.withLockWait(Duration.ZERO));
        Peer peer = Peer.start()) {
      put(environment, 1);
      peer.ask("writer " + folder + " open");
      String message = assertThrows(WorkFailedException.class, environment::begin).getMessage();
      assertTrue(message.startsWith("another writer has "), message);
      peer.ask("writer " + folder + " close");
      put(environment, 2);
      peer.ask("writer " + folder + " open");
      peer.kill();
      put(environment, 3); // the dead writer's lock is taken over
    }
    assertEquals(3, transactions());
  }
}
