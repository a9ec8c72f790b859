package dev.tandem.core;

/**
 * Tells a person how far long work is. Implementations decide how it looks (bar, plain lines,
 * nothing) and how often; callers may advance as often as they like, from any thread.
 */
public interface Progress {

  /** Shows nothing. */
  Progress SILENT =
      (label, total, unit) ->
          new Task() {
            @Override
            public void advanceTo(long done, String remark) {}

            @Override
            public void close() {}
          };

  /**
   * Begins one piece of work.
   *
   * @param total units of work in all, or 0 if nobody knows
   * @param unit what is counted, in the plural: "images", "MB"
   */
  Task start(String label, long total, String unit);

  /** One piece of work; closing it ends its line. */
  interface Task extends AutoCloseable {

    /** {@code done} units are done in all; the remark (may be empty) is shown after them. */
    void advanceTo(long done, String remark);

    /** {@code done} units are done in all. */
    default void advanceTo(long done) {
      advanceTo(done, "");
    }

    @Override
    void close();
  }
}
