package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.lmdb.Cursor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The one process that seeks for all: a thread walks through the database and hands the places of
 * every iteration's records to the roots that read them.
 */
final class Seeker extends Thread {

  private static final int ITERATIONS_AHEAD = 16;

  private final BatchPlan plan;
  private final CursorWalk walk;
  private final Peers roots;
  private final List<int[]> groups;
  private final RequestThreads.Failures failures;
  private final BlockingQueue<byte[]> own = new ArrayBlockingQueue<>(ITERATIONS_AHEAD);
  private long nanos;

  /**
   * @param roots of all hosts; this process is the first
   * @param groups the readers of each root
   */
  Seeker(
      BatchPlan plan,
      CursorWalk walk,
      Peers roots,
      List<int[]> groups,
      RequestThreads.Failures failures) {
    super("tandem-read-seek");
    setDaemon(true);
    this.plan = plan;
    this.walk = walk;
    this.roots = roots;
    this.groups = groups;
    this.failures = failures;
  }

  /** Where this process's own root gets its places from. */
  BlockingQueue<byte[]> own() {
    return own;
  }

  /** Time spent seeking, once the thread has ended. */
  long nanos() {
    return nanos;
  }

  /** Records of a group in each iteration. */
  static int records(BatchPlan plan, int[] group) {
    int records = 0;
    for (int reader : group) {
      records += plan.count(reader);
    }
    return records;
  }

  @Override
  public void run() {
    try {
      for (long iteration = 0; iteration < plan.iterations(); iteration++) {
        for (int root = 0; root < groups.size(); root++) {
          int[] group = groups.get(root);
          if (records(plan, group) == 0) {
            continue;
          }
          byte[] places = seek(iteration, group);
          if (root == 0) {
            own.put(places);
          } else {
            roots.send(places, root);
          }
        }
      }
    } catch (InterruptedException e) {
      // The reader was closed and needs no more.
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      failures.fail(e);
    }
  }

  private byte[] seek(long iteration, int[] group) {
    long began = System.nanoTime();
    byte[] bytes = new byte[records(plan, group) * SentLocations.BYTES];
    ByteBuffer message = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Cursor cursor = walk.cursor();
    for (int reader : group) {
      long from = iteration * plan.batch() + plan.first(reader);
      for (int i = 0; i < plan.count(reader); i++) {
        walk.to(from + i);
        message.putLong(cursor.valuePosition()).putLong(cursor.keyPosition());
        message.putInt(MappedData.length(cursor.valueLength())).putInt(cursor.keyLength());
      }
    }
    nanos += System.nanoTime() - began;
    return bytes;
  }
}
