package dev.tandem.sync.agent;

import java.util.List;

/**
 * Sees what a synchroniser does, with times by {@link System#nanoTime}. Called by the thread that
 * does it, {@link #requested} by any: it must be quick, and never throws.
 */
public interface SyncObserver {

  /** Sees nothing. */
  SyncObserver NONE = new SyncObserver() {};

  /** A tensor was requested. */
  default void requested(String name, long nanos) {}

  /** The background thread meant to sleep so long, from the beginning until the end. */
  default void slept(long wantedNanos, long beginNanos, long endNanos) {}

  /** All ranks agreed on what comes next; the time in between is waiting for the last of them. */
  default void agreed(long beginNanos, long endNanos) {}

  /** Tensors have travelled as one, of which this rank has written so many bytes. */
  default void transferred(List<String> names, long bytes, long beginNanos, long endNanos) {}

  /** Something that a person may want to know: a line for the log. */
  default void remark(String line) {}
}
