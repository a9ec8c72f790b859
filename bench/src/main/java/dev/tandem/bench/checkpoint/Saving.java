package dev.tandem.bench.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;

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

    /** Of ranks that save together: each time is that of the slowest. */
    static Times slowest(List<Times> all) {
      return new Times(
          most(all, Times::stallSeconds),
          most(all, Times::writeSeconds),
          most(all, Times::totalSeconds));
    }

    private static double most(List<Times> all, ToDoubleFunction<Times> time) {
      return all.stream().mapToDouble(time).max().orElseThrow();
    }
  }

  /** As in {@link CheckpointRow}. */
  String format();

  /** As in {@link CheckpointRow}. */
  String mode();

  /** Ranks that save together. */
  int ranks();

  /** As in {@link CheckpointRow.Study}. */
  default String place() {
    return "threads";
  }

  /** As in {@link CheckpointRow.Study}. */
  default int queueDepth() {
    return 0;
  }

  /** Saves once into a folder, always the same, that is emptied afterwards. */
  Times save(Path folder);

  /** Seconds in which the last save is read back and compared; 0 where that is not measured. */
  default double restore() {
    return 0;
  }

  @Override
  default void close() {}
}
