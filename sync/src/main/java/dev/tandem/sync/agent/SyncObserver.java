package dev.tandem.sync.agent;

import java.util.List;

/**
 * Sees what a synchroniser does, with times by {@link System#nanoTime}. Called by the thread that
 * does it, {@link #requested} by any: it must be quick, and never throws.
 */
public interface SyncObserver {

  /** Sees nothing. */
  SyncObserver NONE = new SyncObserver() {};

  /** All of these see everything, in this order. */
  static SyncObserver all(List<SyncObserver> observers) {
    return new ManyObservers(List.copyOf(observers));
  }

  /** A synchroniser starts: its transfers are numbered from 0. */
  default void began() {}

  /** A tensor was requested. */
  default void requested(String name, long nanos) {}

  /**
   * The background thread slept. It meant to, for so long: until the next cycle, or until the
   * request came that completes what it waits for.
   */
  default void slept(long wantedNanos, long beginNanos, long endNanos) {}

  /** All ranks agreed on what comes next; the time in between is waiting for the last of them. */
  default void agreed(long beginNanos, long endNanos) {}

  /** Tensors have travelled as one. */
  default void transferred(Transfer transfer) {}

  /** Something that a person may want to know: a line for the log. */
  default void remark(String line) {}
}
