package dev.tandem.comm.rendezvous;

import java.time.Duration;

/** A moment after which waiting is given up. */
public record Deadline(long nanoTime) {

  /** The moment that lies so far ahead. */
  public static Deadline in(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  /** Nanoseconds that are left, or 0. */
  public long remainingNanos() {
    return Math.max(0, nanoTime - System.nanoTime());
  }

  /** Milliseconds that are left, rounded up, or 0. */
  public int remainingMillis() {
    return (int) Math.min(Integer.MAX_VALUE, (remainingNanos() + 999_999) / 1_000_000);
  }

  public boolean passed() {
    return remainingNanos() == 0;
  }
}
