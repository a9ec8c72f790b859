package dev.tandem.lmdb.page;

import java.util.Optional;

/**
 * A slot in the lock file's table of readers: while it names a transaction, no writer reuses pages
 * of that state or of later ones. Any thread may release it.
 */
public final class ReaderSlot {

  private static final int NONE = -1;

  private final LockFile lock;
  private final int slot;

  private ReaderSlot(LockFile lock, int slot) {
    this.lock = lock;
    this.slot = slot;
  }

  /** A slot of this process; empty if all are taken by the living. */
  public static Optional<ReaderSlot> take(LockFile lock) {
    lock.lockPid();
    int slot = takeFree(lock);
    if (slot == NONE && lock.clearStaleReaders() > 0) {
      slot = takeFree(lock);
    }
    return slot == NONE ? Optional.empty() : Optional.of(new ReaderSlot(lock, slot));
  }

  private static int takeFree(LockFile lock) {
    int[] taken = {NONE};
    lock.withReaderTable(
        () -> {
          int used = lock.slotsUsed();
          int free = 0;
          while (free < used && lock.slotPid(free) != 0) {
            free++;
          }
          if (free == lock.slots()) {
            return;
          }
          // Writers read the table without its mutex: the slot is made harmless before it counts.
          lock.slotPid(free, 0);
          lock.slotTransaction(free, LockFile.NO_TRANSACTION);
          lock.slotThread(free, Thread.currentThread().threadId());
          if (free == used) {
            lock.slotsUsed(used + 1);
          }
          lock.slotPid(free, lock.pid());
          taken[0] = free;
        });
    return taken[0];
  }

  /** Says which state is read. */
  public void protect(long transaction) {
    lock.slotTransaction(slot, transaction);
  }

  /** Gives the slot back. */
  public void release() {
    lock.slotTransaction(slot, LockFile.NO_TRANSACTION);
    lock.slotPid(slot, 0);
  }
}
