package dev.tandem.bench.checkpoint;

import java.nio.file.Path;

/** One way to save a state. */
interface Saving extends AutoCloseable {

  /**
   * One save.
   *
   * @param stallSeconds that training would have stood still
   * @param writeSeconds that writing took until everything was committed
   * @param totalSeconds from the beginning until then
   */
  record Times(double stallSeconds, double writeSeconds, double totalSeconds) {

    /** Training waits all the time. */
    static Times waiting(double seconds) {
      return new Times(seconds, seconds, seconds);
    }
  }

  /** As in {@link CheckpointRow}. */
  String format();

  /** As in {@link CheckpointRow}. */
  String mode();

  /** Ranks that save together. */
  int ranks();

  /** Saves once into a folder, always the same, that is emptied afterwards. */
  Times save(Path folder);

  @Override
  default void close() {}
}
