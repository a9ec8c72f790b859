package dev.tandem.cli;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.comm.launch.Restarts;
import dev.tandem.comm.launch.SurvivingLauncher;
import dev.tandem.comm.launch.SurvivingLauncher.Meanwhile;
import dev.tandem.core.ExitCode;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.Progress;
import dev.tandem.core.StoppedException;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.train.RankMain;
import dev.tandem.train.TrainingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The ranks of a training run, from their start to their end. */
final class TrainingJob {

  private static final String ERROR = "error: ";

  /** Whether this run is a trial of a study, which hears its events by standard output. */
  private static final boolean TRIAL = System.getenv("TANDEM_TRIAL") != null;

  private final RunSession run;
  private final Placement placement;
  private final Restarts restarts;
  private final Meanwhile meanwhile;
  private final Progress progress;

  /** The first line of each rank that says why it ended; those of lost ranks are not there. */
  private final Map<Integer, String> reasons = new TreeMap<>();

  /**
   * A job whose ranks end together.
   *
   * @param progress shows how far it is
   */
  TrainingJob(RunSession run, Placement placement, Progress progress) {
    this(run, placement, new Restarts(0), Meanwhile.WAIT, progress);
  }

  /**
   * A job whose lost processes are replaced.
   *
   * @param restarts how often
   * @param meanwhile what the others do until a replacement is there
   * @param progress shows how far it is
   */
  TrainingJob(
      RunSession run,
      Placement placement,
      Restarts restarts,
      Meanwhile meanwhile,
      Progress progress) {
    this.run = run;
    this.placement = placement;
    this.restarts = restarts;
    this.meanwhile = meanwhile;
    this.progress = progress;
  }

  /**
   * Runs the ranks to their end and gathers what rank 0 reported.
   *
   * @param flags for the ranks, besides the folder
   */
  Curves run(String... flags) {
    int ranks = placement.hosts().size();
    System.err.printf("starting %d training processes%n", ranks);
    List<String> arguments = new ArrayList<>(List.of(run.path().toString()));
    arguments.addAll(List.of(flags));
    LaunchPlan plan =
        LaunchPlan.of(ranks, RankMain.class.getName(), arguments)
            .withGrace(RankMain.GRACE)
            .compilingLater();
    try (Curves curves = new Curves(progress)) {
      LaunchResult outcome = launch(plan, (rank, source, line) -> take(rank, line, curves));
      if (outcome.exitCode() != 0) {
        throw failure(outcome);
      }
      return curves;
    }
  }

  /** If processes may be replaced, the others stay meanwhile. */
  private LaunchResult launch(LaunchPlan plan, RankOutput output) {
    return restarts.any()
        ? new SurvivingLauncher(plan, placement, meanwhile, restarts, output, run::note).run()
        : new ProcessLauncher(plan, placement, output, run::note).run();
  }

  private void take(int rank, String line, Curves curves) {
    TrainingEvent.ofLine(line)
        .ifPresentOrElse(
            event -> {
              curves.add(event);
              run.add(event);
              if (TRIAL) {
                System.out.println(line);
              }
            },
            () -> {
              synchronized (reasons) {
                if (!line.startsWith(ERROR)
                    || reasons.putIfAbsent(rank, line.substring(ERROR.length())) != null) {
                  System.err.println("[rank " + rank + "] " + line);
                }
              }
            });
  }

  /** All ranks may say the same: one line is enough, unless a rank was lost. */
  private TandemException failure(LaunchResult outcome) {
    synchronized (reasons) {
      if (outcome.exitCode() == ExitCode.INTERRUPTED.code()) {
        return stopped(0);
      }
      if (outcome.exitCode() == ExitCode.PEER_LOST.code() && outcome.failedRank().isPresent()) {
        reasons.forEach((rank, why) -> System.err.println("[rank " + rank + "] " + ERROR + why));
        int lost = outcome.failedRank().getAsInt();
        String how = outcome.summary().replaceFirst("^lost rank %d: ".formatted(lost), "");
        return new PeerLostException(lost, how + "; training cannot continue without it");
      }
      if (outcome.exitCode() == ExitCode.STOPPED_AS_ASKED.code()) {
        return stopped(outcome.failedRank().orElse(0));
      }
      int failed = outcome.failedRank().orElse(0);
      String why = reasons.getOrDefault(failed, "training failed: " + outcome.summary());
      return outcome.exitCode() == ExitCode.USAGE.code()
          ? new UsageException(why)
          : new WorkFailedException(why);
    }
  }

  private StoppedException stopped(int rank) {
    return new StoppedException(
        reasons.getOrDefault(
            rank, "stopped as asked; --resume continues from the last checkpoint"));
  }
}
