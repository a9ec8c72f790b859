package dev.tandem.data.read;

import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Commits all the time while others read: every commit replaces all values by ones that depend on
 * its number, of sizes that change, so that freed pages are used for something else at once.
 */
final class LiveWriter implements AutoCloseable {

  static final int RECORDS = 300;

  private static final long LONGEST_REST_NANOS = 30_000_000;

  private final EnvironmentWriter writer;
  private final Thread thread;
  private final AtomicLong commits = new AtomicLong();
  private final SplittableRandom rests = TestSeed.of(LiveWriter.class).random();
  private volatile boolean ended;
  private volatile Throwable failure;

  /** Writes the first commit, then goes on by itself. */
  LiveWriter(Path folder) {
    writer = EnvironmentWriter.open(folder, WriterOptions.DEFAULT.withSync(false));
    commit();
    thread = Thread.ofPlatform().name("live-writer").start(this::keepCommitting);
  }

  /** The same data file where there is no lock file. */
  static Path withoutLock(Path folder, Path other) throws IOException {
    Files.createDirectories(other);
    Files.createLink(other.resolve("data.mdb"), folder.resolve("data.mdb"));
    return other;
  }

  private void keepCommitting() {
    try {
      while (!ended) {
        commit();
        // Sometimes a reader of the last state has time to finish.
        LockSupport.parkNanos(rests.nextLong(LONGEST_REST_NANOS));
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** How many there are so far. */
  long commits() {
    return commits.get();
  }

  private void commit() {
    long number = commits.incrementAndGet();
    try (WriteTransaction transaction = writer.begin()) {
      WriteDatabase database = transaction.main();
      for (int record = 0; record < RECORDS; record++) {
        database.put(key(record), value(record, number));
      }
      transaction.commit();
    }
  }

  private static byte[] key(int record) {
    return "%06d".formatted(record).getBytes(StandardCharsets.US_ASCII);
  }

  /** The commit's number and noise; sizes in leaves, on one overflow page and on several. */
  private static byte[] value(int record, long commit) {
    SplittableRandom random = new SplittableRandom(record * 1_000_003L + commit);
    int[] sizes = {16, 100, 1500, 3000, 9000};
    byte[] value = new byte[sizes[random.nextInt(sizes.length)]];
    random.nextBytes(value);
    ByteBuffer.wrap(value).putLong(commit);
    return value;
  }

  /** The checksum of all records of a commit. */
  static long checksum(long commit) {
    RecordChecksum checksum = new RecordChecksum();
    for (int record = 0; record < RECORDS; record++) {
      ByteBuffer key = ByteBuffer.wrap(key(record));
      ByteBuffer value = ByteBuffer.wrap(value(record, commit));
      checksum.add(key, 0, key.capacity(), value, 0, value.capacity());
    }
    return checksum.sum();
  }

  @Override
  public void close() {
    ended = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    writer.close();
    System.out.println("LiveWriter made " + commits + " commits");
    if (failure != null) {
      throw new AssertionError("the writer failed", failure);
    }
  }
}
