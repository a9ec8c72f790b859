package dev.tandem.bench;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.WorkFailedException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Tandem's ranks in a benchmark, started by its own launcher as users start theirs. */
public final class Ranks {

  private Ranks() {}

  /**
   * Runs ranks until they have ended; fails with their errors unless all end well.
   *
   * @param what is measured, for messages
   * @param output takes, from any thread, each line that a rank prints
   */
  public static void run(String what, LaunchPlan plan, Consumer<String> output) {
    run(what, plan, Placement.here(plan.ranks()), output);
  }

  /** The same with ranks that may be on other hosts. */
  public static void run(
      String what, LaunchPlan plan, Placement placement, Consumer<String> output) {
    ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    RankOutput sink =
        (rank, source, text) -> {
          switch (source) {
            case OUT -> output.accept(text);
            case ERROR -> errors.add(text);
          }
        };
    LaunchResult result = new ProcessLauncher(plan, placement, sink, errors::add).run();
    if (result.exitCode() != 0) {
      throw new WorkFailedException(
          "%s failed: %s: %s".formatted(what, result.summary(), String.join("; ", errors)));
    }
  }
}
