package dev.tandem.lmdb.page;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.RobustMutex;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * {@code lock.mdb} as liblmdb 0.9 lays it out on Linux with glibc: the writer's mutex, the last
 * committed transaction, and the table of readers. All processes that have the environment open
 * share it.
 *
 * <pre>
 *                                                      x86-64 (mutex: 40 bytes)  aarch64 (48)
 * u32 magic                                                 0                         0
 * u32 format                                                4                         4
 * mutex of the reader table                                 8                         8
 * u64 last transaction                                     48                        56
 * u32 slots ever used                                      56                        64
 * mutex of the writer, in a line of its own                64                       128
 * slots of 64 bytes: u64 transaction (-1: none),          128                       192
 *   u32 pid (0: free) at 8, u64 thread at 16
 * </pre>
 *
 * <p>Every user of the environment holds a shared record lock on byte 0; who gets it exclusively is
 * alone and makes the file anew. A process with reader slots also locks the byte at the offset of
 * its pid, so that others can tell whether it lives.
 *
 * <p>There is one object per file and process, counted, because closing a second descriptor would
 * drop the locks of the first. Methods may be called from any thread, except that the thread that
 * locked the writer's mutex must unlock it.
 */
public final class LockFile implements AutoCloseable {

  public static final String NAME = "lock.mdb";
  static final long NO_TRANSACTION = -1;

  private static final int FORMAT = 0x1_0001;
  private static final int FORMAT_AT = 4;
  private static final int READER_MUTEX_AT = 8;
  private static final int LINE = 64;
  private static final int TRANSACTION_AT = READER_MUTEX_AT + RobustMutex.SIZE;
  private static final int SLOTS_USED_AT = TRANSACTION_AT + 8;
  private static final int WRITER_MUTEX_AT = wholeLines(SLOTS_USED_AT + 4);
  public static final int SLOTS_AT = WRITER_MUTEX_AT + wholeLines(RobustMutex.SIZE);
  private static final int SLOT = LINE;
  private static final int SLOT_PID_AT = 8;
  private static final int SLOT_THREAD_AT = 16;
  private static final int DEFAULT_SLOTS = 126;

  private static final VarHandle LONG = JAVA_LONG.varHandle();
  private static final VarHandle INT = JAVA_INT.varHandle();

  // Process-wide by nature: POSIX record locks belong to the process, whoever opened the file.
  private static final Map<Object, LockFile> OPEN = new HashMap<>();

  private final Path path;
  private final Object key;
  private final SharedFile file;
  private final MemorySegment memory;
  private final RobustMutex readerMutex;
  private final RobustMutex writerMutex;
  private final int pid = (int) ProcessHandle.current().pid();
  private final LongSupplier committed;
  private int users = 1;
  private boolean pidLocked;
  private volatile Thread writer;

  private LockFile(Path path, Object key, SharedFile file, LongSupplier committed) {
    this.path = path;
    this.key = key;
    this.file = file;
    this.committed = committed;
    boolean alone = file.tryLockExclusive(0);
    if (!alone) {
      file.lockShared(0);
    }
    long wanted = SLOTS_AT + (long) DEFAULT_SLOTS * SLOT;
    long size = file.size();
    if (alone && size < wanted) {
      file.resize(wanted);
      size = wanted;
    }
    if (size < SLOTS_AT + SLOT) {
      throw new WorkFailedException(path + " is no LMDB lock file: it has only " + size + " bytes");
    }
    memory = file.map(size);
    readerMutex = new RobustMutex(memory.asSlice(READER_MUTEX_AT));
    writerMutex = new RobustMutex(memory.asSlice(WRITER_MUTEX_AT));
    if (alone) {
      initialise();
      file.lockShared(0);
    } else {
      check();
    }
  }

  /**
   * The lock file at {@code path}, made if missing. Close it once per call.
   *
   * @param committed reads the last committed transaction from the meta pages; called while nobody
   *     else has the environment open, so it may also create the data file, and after a writer died
   */
  public static LockFile openOrCreate(Path path, LongSupplier committed) {
    synchronized (OPEN) {
      Optional<Object> known = fileKey(path);
      if (known.isPresent() && OPEN.containsKey(known.get())) {
        LockFile shared = OPEN.get(known.get());
        shared.users++;
        return shared;
      }
      SharedFile file = SharedFile.openOrCreate(path);
      try {
        Object key = fileKey(path).orElse(path.toAbsolutePath());
        LockFile opened = new LockFile(path, key, file, committed);
        OPEN.put(key, opened);
        return opened;
      } catch (RuntimeException e) {
        file.close();
        throw e;
      }
    }
  }

  /** Slots that the lock file at this path has, or gets when it is opened next. */
  public static int roomForSlots(Path path) {
    if (!Files.exists(path)) {
      return DEFAULT_SLOTS;
    }
    try {
      return (int) Math.max(DEFAULT_SLOTS, (Files.size(path) - SLOTS_AT) / SLOT);
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", path, e);
    }
  }

  private static Optional<Object> fileKey(Path path) {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(Files.readAttributes(path, BasicFileAttributes.class).fileKey());
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  private void initialise() {
    readerMutex.initialise();
    writerMutex.initialise();
    memory.set(JAVA_INT, 0, PageFormat.MAGIC);
    memory.set(JAVA_INT, FORMAT_AT, FORMAT);
    INT.setVolatile(memory, (long) SLOTS_USED_AT, 0);
    transaction(committed.getAsLong());
  }

  private void check() {
    if (memory.get(JAVA_INT, 0) != PageFormat.MAGIC) {
      throw new WorkFailedException(path + " is in use but is no LMDB lock file");
    }
    int format = memory.get(JAVA_INT, FORMAT_AT);
    if (format != FORMAT) {
      throw new WorkFailedException(
          path
              + " has lock format 0x"
              + Integer.toHexString(format)
              + " and is in use: another version of LMDB has the environment open");
    }
  }

  Path path() {
    return path;
  }

  /** The last committed transaction, as writers publish it. */
  public long transaction() {
    return (long) LONG.getVolatile(memory, (long) TRANSACTION_AT);
  }

  /** Publishes a commit; only the holder of the writer's mutex may. */
  public void transaction(long id) {
    LONG.setVolatile(memory, (long) TRANSACTION_AT, id);
  }

  /** Slots in the table. */
  int slots() {
    return (int) ((memory.byteSize() - SLOTS_AT) / SLOT);
  }

  /** Slots that have ever been used; those after them are free. */
  public int slotsUsed() {
    return Math.min((int) INT.getVolatile(memory, (long) SLOTS_USED_AT), slots());
  }

  public void slotsUsed(int count) {
    INT.setVolatile(memory, (long) SLOTS_USED_AT, count);
  }

  /** Process that has the slot, 0 if it is free. */
  public int slotPid(int slot) {
    return (int) INT.getVolatile(memory, slotAt(slot) + SLOT_PID_AT);
  }

  public void slotPid(int slot, int owner) {
    INT.setVolatile(memory, slotAt(slot) + SLOT_PID_AT, owner);
  }

  /** Transaction that the slot's owner reads, {@link #NO_TRANSACTION} if none now. */
  long slotTransaction(int slot) {
    return (long) LONG.getVolatile(memory, slotAt(slot));
  }

  void slotTransaction(int slot, long id) {
    LONG.setVolatile(memory, slotAt(slot), id);
  }

  void slotThread(int slot, long thread) {
    LONG.setVolatile(memory, slotAt(slot) + SLOT_THREAD_AT, thread);
  }

  private static int wholeLines(int bytes) {
    return (bytes + LINE - 1) / LINE * LINE;
  }

  private static long slotAt(int slot) {
    return SLOTS_AT + (long) slot * SLOT;
  }

  /** This process, as it stands in slots. */
  int pid() {
    return pid;
  }

  /** Marks this process as alive, which it must be before it takes a slot. */
  synchronized void lockPid() {
    if (!pidLocked && !file.tryLockExclusive(pid)) {
      throw new WorkFailedException("another process holds the lock of pid " + pid + " in " + path);
    }
    pidLocked = true;
  }

  /** Runs {@code action} alone among those that take and free slots. */
  void withReaderTable(Runnable action) {
    if (readerMutex.lock() == RobustMutex.Outcome.OWNER_DIED) {
      freeSlotsOfTheDead();
      readerMutex.consistent();
    }
    try {
      action.run();
    } finally {
      readerMutex.unlock();
    }
  }

  /** The oldest transaction that a reader still sees, or {@code newest} if there is none older. */
  public long oldestReader(long newest) {
    long oldest = newest;
    for (int slot = slotsUsed() - 1; slot >= 0; slot--) {
      if (slotPid(slot) != 0) {
        long seen = slotTransaction(slot);
        if (Long.compareUnsigned(seen, oldest) < 0) {
          oldest = seen;
        }
      }
    }
    return oldest;
  }

  /** Frees the slots of processes that are gone, and says how many. */
  public int clearStaleReaders() {
    boolean stale = false;
    for (int slot = slotsUsed() - 1; slot >= 0; slot--) {
      stale |= isStale(slotPid(slot));
    }
    if (!stale) {
      return 0;
    }
    int[] cleared = new int[1];
    withReaderTable(() -> cleared[0] = freeSlotsOfTheDead());
    return cleared[0];
  }

  private int freeSlotsOfTheDead() {
    int cleared = 0;
    for (int slot = slotsUsed() - 1; slot >= 0; slot--) {
      if (isStale(slotPid(slot))) {
        slotPid(slot, 0);
        cleared++;
      }
    }
    return cleared;
  }

  private boolean isStale(int owner) {
    return owner != 0 && owner != pid && !file.lockedByOther(owner);
  }

  /**
   * Becomes the only writer among all processes.
   *
   * @param wait how long to wait for another writer; empty waits without end
   */
  public void lockWriter(Optional<Duration> wait) {
    Thread current = Thread.currentThread();
    if (current.isVirtual()) {
      throw new UsageException(
          "a write transaction needs a platform thread: LMDB's lock belongs to one");
    }
    if (Objects.equals(writer, current)) {
      throw new UsageException(
          "this thread already has a write transaction on "
              + path
              + ": commit or close it before the next");
    }
    RobustMutex.Outcome outcome =
        wait.isPresent() ? writerMutex.lock(wait.get()) : writerMutex.lock();
    switch (outcome) {
      case BUSY ->
          throw new WorkFailedException(
              "another writer has " + path + " locked; waited " + wait.orElseThrow());
      case OWNER_DIED -> {
        transaction(committed.getAsLong());
        clearStaleReaders();
        writerMutex.consistent();
      }
      case LOCKED -> {}
    }
    writer = current;
  }

  /** Lets the next writer in; the thread that locked must call it. */
  public void unlockWriter() {
    writer = null;
    writerMutex.unlock();
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      users--;
      if (users == 0) {
        OPEN.remove(key);
        file.close();
      }
    }
  }
}
