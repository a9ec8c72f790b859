package dev.tandem.tune.task;

/** How a task, or one attempt of it, ended. */
public sealed interface Outcome {

  /** It gave a value, which may be no number; NaN if none was wanted. */
  record Completed(double value) implements Outcome {}

  /**
   * It stopped because a {@link dev.tandem.tune.prune.Decision} said so.
   *
   * @param reason that of the decision
   */
  record Stopped(String reason) implements Outcome {}

  /**
   * It was paused, with a checkpoint from which it may be continued.
   *
   * @param step at which it was to be
   */
  record Paused(long step) implements Outcome {}

  /**
   * It ended without a value.
   *
   * @param reason in one line
   * @param lasting whether another attempt would end likewise: it wanted more memory than its
   *     limit, or refused its configuration
   */
  record Failed(String reason, boolean lasting) implements Outcome {

    /** For a reason that another attempt may not have. */
    public Failed(String reason) {
      this(reason, false);
    }
  }

  /** It took longer than its limit. */
  record TimedOut(double seconds) implements Outcome {}

  /**
   * Its node, or the process there that ran it, is gone.
   *
   * @param node its name
   * @param reason in one line
   */
  record Lost(String node, String reason) implements Outcome {}

  /** The caller cancelled it. */
  record Cancelled() implements Outcome {}

  /** It never started: a task that it depends on did not complete. */
  record Skipped(TaskId cause) implements Outcome {}

  /** Why, in one line; empty for a complete one. */
  default String explanation() {
    return switch (this) {
      case Completed any -> "";
      case Stopped stopped -> stopped.reason;
      case Paused(long step) -> "paused at step %d".formatted(step);
      case Failed failed -> failed.reason;
      case TimedOut(double seconds) -> "took longer than %.0f s".formatted(seconds);
      case Lost lost -> "lost on %s: %s".formatted(lost.node, lost.reason);
      case Cancelled any -> "cancelled";
      case Skipped(TaskId cause) -> "%s did not complete".formatted(cause);
    };
  }
}
