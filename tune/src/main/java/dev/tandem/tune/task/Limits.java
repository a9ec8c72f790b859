package dev.tandem.tune.task;

import dev.tandem.core.UsageException;
import java.time.Duration;

/**
 * What a task must not exceed. Processors and memory are limited to its {@link Needs}.
 *
 * @param time of an attempt; zero for any
 * @param grace between the request to end and the end by force
 * @param processes and threads that it may have; 0 for any number
 * @param outputBytes of each of its output files; what comes after is counted, not kept
 * @param enforcement of processors, memory and processes by control groups
 */
public record Limits(
    Duration time, Duration grace, int processes, long outputBytes, Enforcement enforcement) {

  /** Whether control groups are used. */
  public enum Enforcement {
    /** Where the machine permits it; otherwise said once. */
    AUTO,
    /** Or the task fails. */
    ALWAYS,
    /** Not at all. */
    NEVER
  }

  /** No limit of time, 10 s of grace, 64 MiB of each output. */
  public static final Limits DEFAULT =
      new Limits(Duration.ZERO, Duration.ofSeconds(10), 0, 64L << 20, Enforcement.AUTO);

  public Limits {
    if (time.isNegative() || grace.isNegative() || processes < 0 || outputBytes < 0) {
      throw new UsageException("limits must not be negative");
    }
  }

  /** The same with a limit of time. */
  public Limits withTime(Duration limit) {
    return new Limits(limit, grace, processes, outputBytes, enforcement);
  }

  /** The same with another grace. */
  public Limits withGrace(Duration other) {
    return new Limits(time, other, processes, outputBytes, enforcement);
  }

  /** The same, enforced otherwise. */
  public Limits with(Enforcement other) {
    return new Limits(time, grace, processes, outputBytes, other);
  }
}
