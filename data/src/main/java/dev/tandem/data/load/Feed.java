package dev.tandem.data.load;

import java.util.Optional;

/**
 * Where a loader gets its steps and their records from. The loader asks for fetches one at a time
 * and in order, then reads them, maybe several at once.
 */
public interface Feed extends AutoCloseable {

  /** The most samples that this rank has in a step. */
  int largestShare();

  /**
   * The next steps to read, or empty after the last one.
   *
   * @param mostBytes how much memory their records should take at most; one step is always given
   */
  Optional<Fetch> next(long mostBytes);

  /** The consumer asks for this step of the plan, counted from 0; called by its thread. */
  default void asked(long index) {}

  /** Threads that wait in {@code next} or {@code read} give up. What it reads from stays open. */
  @Override
  void close();
}
