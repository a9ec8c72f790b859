package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.nio.ByteBuffer;

/**
 * The same state of a database for all readers, also while a process writes: records of two states
 * must not come together, and a reader at places that another found must notice when that one's
 * state is overwritten.
 */
public final class CommonSnapshot {

  /** A writer would have to commit several times a millisecond to outlast this. */
  private static final int ATTEMPTS = 1000;

  private CommonSnapshot() {}

  /** Takes snapshots until all have the same; all readers call it together. */
  public static Snapshot of(Environment environment, Peers peers) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Snapshot snapshot = environment.snapshot();
      try {
        if (peers.size() == 1 || same(snapshot.transaction(), peers)) {
          return snapshot;
        }
      } catch (RuntimeException e) {
        snapshot.close();
        throw e;
      }
      snapshot.close();
    }
    throw new WorkFailedException(
        "%s changes faster than its %d readers can open it together; read it when no process writes"
            .formatted(environment.file(), peers.size()));
  }

  /** The first hears of all others, and tells all. */
  private static boolean same(long transaction, Peers peers) {
    byte[] verdict = new byte[1];
    if (peers.rank() == 0) {
      boolean same = true;
      for (int other = 1; other < peers.size(); other++) {
        byte[] number = new byte[Long.BYTES];
        peers.receive(number, other);
        same &= ByteBuffer.wrap(number).getLong() == transaction;
      }
      verdict[0] = (byte) (same ? 1 : 0);
    } else {
      peers.send(ByteBuffer.allocate(Long.BYTES).putLong(transaction).array(), 0);
    }
    peers.broadcast(verdict, 0);
    return verdict[0] != 0;
  }
}
