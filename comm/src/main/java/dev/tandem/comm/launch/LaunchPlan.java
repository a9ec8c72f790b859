package dev.tandem.comm.launch;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What to start and how to end it.
 *
 * @param ranks how many processes
 * @param mainClass the class whose {@code main} each runs
 * @param arguments the same for all
 * @param environment variables to add to this process's own
 * @param jvmFlags flags of the child JVMs
 * @param joining how long it may take until all ranks have joined
 * @param reporting how long survivors may take to report a lost rank themselves
 * @param grace how long a process may take to end after SIGTERM
 */
public record LaunchPlan(
    int ranks,
    String mainClass,
    List<String> arguments,
    Map<String, String> environment,
    List<String> jvmFlags,
    Duration joining,
    Duration reporting,
    Duration grace) {

  public LaunchPlan {
    if (ranks < 1) {
      throw new UsageException("a job needs at least one rank, not " + ranks);
    }
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
    jvmFlags = List.copyOf(jvmFlags);
  }

  /** The same, with so long for a process to end after SIGTERM. */
  public LaunchPlan withGrace(Duration time) {
    return new LaunchPlan(
        ranks, mainClass, arguments, environment, jvmFlags, joining, reporting, time);
  }

  /**
   * The same, whose JVMs compile only what really runs long: by the usual thresholds the compilers
   * of several new JVMs take a good part of the processors for seconds, much of it for code of
   * their start.
   */
  public LaunchPlan compilingLater() {
    List<String> flags = new ArrayList<>(jvmFlags);
    flags.add("-XX:CompileThresholdScaling=5");
    return withJvmFlags(flags);
  }

  /** A plan with the flags of this JVM and the usual patience. */
  public static LaunchPlan of(int ranks, String mainClass, List<String> arguments) {
    return new LaunchPlan(
        ranks,
        mainClass,
        arguments,
        Map.of(),
        JvmFlags.inherited(),
        Duration.ofSeconds(60),
        Duration.ofSeconds(10),
        Duration.ofSeconds(3));
  }

  /** The same with these variables added. */
  public LaunchPlan withEnvironment(Map<String, String> variables) {
    return new LaunchPlan(
        ranks, mainClass, arguments, variables, jvmFlags, joining, reporting, grace);
  }

  /** The same with these JVM flags instead. */
  public LaunchPlan withJvmFlags(List<String> flags) {
    return new LaunchPlan(
        ranks, mainClass, arguments, environment, flags, joining, reporting, grace);
  }
}
