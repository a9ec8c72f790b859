package dev.tandem.bench.read;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.RecordChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/**
 * lmdbjava's side of the reading benchmark, in a process of its own; arguments and output as of
 * {@code read_liblmdb.c}. Its readers are threads of one JVM: several JVMs would only have to
 * compile the same code several times.
 */
final class LmdbJavaReadMain {

  private final Env<ByteBuffer> environment;
  private final Dbi<ByteBuffer> database;
  private final int readers;
  private final int batch;
  private final int iterations;

  private LmdbJavaReadMain(Env<ByteBuffer> environment, int readers, int batch, int iterations) {
    this.environment = environment;
    this.database = environment.openDbi((byte[]) null);
    this.readers = readers;
    this.batch = batch;
    this.iterations = iterations;
  }

  public static void main(String[] args) throws Exception {
    int readers = Integer.parseInt(args[2]);
    int batch = Integer.parseInt(args[3]);
    int iterations = Integer.parseInt(args[4]);
    boolean shuffled = args[1].equals("shuffled");
    List<ByteBuffer> keys = shuffled ? keys(Path.of(args[6])) : List.of();
    IntBuffer order = shuffled ? order(Path.of(args[7])) : IntBuffer.allocate(0);
    long began = System.nanoTime();
    try (Env<ByteBuffer> environment =
        Env.create()
            .open(
                Path.of(args[0]).toFile(),
                EnvFlags.MDB_RDONLY_ENV,
                EnvFlags.MDB_NOTLS,
                EnvFlags.MDB_NOLOCK)) {
      new LmdbJavaReadMain(environment, readers, batch, iterations).run(keys, order, began);
    }
  }

  private void run(List<ByteBuffer> keys, IntBuffer order, long began) throws Exception {
    RecordChecksum[] sums = new RecordChecksum[readers];
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    CyclicBarrier start = new CyclicBarrier(readers);
    for (int rank = 0; rank < readers; rank++) {
      int own = rank;
      RecordChecksum sum = new RecordChecksum();
      sums[rank] = sum;
      Thread thread =
          Thread.ofPlatform()
              .name("reader-" + rank)
              .uncaughtExceptionHandler((failed, e) -> failures.add(e))
              .start(() -> read(own, keys, order, sum, start));
      threads.add(thread);
    }
    long checksum = 0;
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new WorkFailedException("a reader failed: " + failures.getFirst());
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    for (RecordChecksum sum : sums) {
      checksum += sum.sum();
    }
    System.out.printf(
        "records=%d seconds=%.6f checksum=%016x%n", (long) batch * iterations, seconds, checksum);
  }

  private void read(
      int rank, List<ByteBuffer> keys, IntBuffer order, RecordChecksum sum, CyclicBarrier start) {
    try (Txn<ByteBuffer> transaction = environment.txnRead()) {
      start.await();
      if (keys.isEmpty()) {
        readStrided(transaction, rank, sum);
      } else {
        readShuffled(transaction, rank, keys, order, sum);
      }
    } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
      throw new WorkFailedException("interrupted", e);
    }
  }

  private void readStrided(Txn<ByteBuffer> transaction, int rank, RecordChecksum sum) {
    try (Cursor<ByteBuffer> cursor = database.openCursor(transaction)) {
      long at = -1;
      for (long i = 0; i < iterations; i++) {
        long first = i * batch + (long) batch * rank / readers;
        long end = i * batch + (long) batch * (rank + 1) / readers;
        for (; at < end - 1; at++) {
          if (!cursor.next()) {
            cursor.first();
          }
          if (at >= first - 1) {
            add(sum, cursor.key(), cursor.val());
          }
        }
      }
    }
  }

  private void readShuffled(
      Txn<ByteBuffer> transaction,
      int rank,
      List<ByteBuffer> keys,
      IntBuffer order,
      RecordChecksum sum) {
    for (int i = 0; i < iterations; i++) {
      int first = i * batch + (int) ((long) batch * rank / readers);
      int end = i * batch + (int) ((long) batch * (rank + 1) / readers);
      for (int place = first; place < end; place++) {
        ByteBuffer key = keys.get(order.get(place));
        ByteBuffer value = database.get(transaction, key);
        if (value == null) {
          throw new WorkFailedException("no record " + US_ASCII.decode(key.duplicate()));
        }
        // The key is shared by all threads; the checksum moves positions.
        add(sum, key.duplicate(), value);
      }
    }
  }

  private static void add(RecordChecksum sum, ByteBuffer key, ByteBuffer value) {
    sum.add(key, key.position(), key.remaining(), value, value.position(), value.remaining());
  }

  private static List<ByteBuffer> keys(Path file) throws IOException {
    // lmdbjava wants direct buffers.
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer all = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    List<ByteBuffer> keys = new ArrayList<>();
    for (int at = 0; at < bytes.length; ) {
      int length = Byte.toUnsignedInt(bytes[at]);
      keys.add(all.slice(at + 1, length));
      at += 1 + length;
    }
    return keys;
  }

  private static IntBuffer order(Path file) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
  }
}
