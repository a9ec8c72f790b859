package dev.tandem.comm.transport;

import dev.tandem.posix.Futex;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Sleeping on a word of shared memory until somebody rings. */
sealed interface Doorbell {

  /** Sleeps while the word has this value, not longer than so; may return early. */
  void sleep(MemorySegment word, int value, long nanos);

  /** Wakes all sleepers of the word. */
  void ring(MemorySegment word);

  /** The best that this machine offers. */
  static Doorbell best() {
    Optional<Futex> futex = Futex.capability().value();
    return futex.isPresent() ? new FutexDoorbell(futex.get()) : new PollingDoorbell();
  }

  /** One that does not need the kernel. */
  static Doorbell polling() {
    return new PollingDoorbell();
  }

  /** The kernel wakes the sleeper. */
  record FutexDoorbell(Futex futex) implements Doorbell {

    @Override
    public void sleep(MemorySegment word, int value, long nanos) {
      futex.await(word, value, nanos);
    }

    @Override
    public void ring(MemorySegment word) {
      futex.wakeAll(word);
    }
  }

  /** Without futexes the sleeper looks again after short naps. */
  record PollingDoorbell() implements Doorbell {

    private static final long NAP_NANOS = 50_000;

    @Override
    public void sleep(MemorySegment word, int value, long nanos) {
      LockSupport.parkNanos(Math.min(nanos, NAP_NANOS));
    }

    @Override
    public void ring(MemorySegment word) {}
  }
}
