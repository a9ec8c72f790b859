package dev.tandem.train.answer;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput.Source;
import dev.tandem.core.ExitCode;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.train.SavedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Answers a request by several processes over which the run's network is split. */
public final class AnswerJob {

  private static final String ERROR = "error: ";

  /** The first line of each rank that says why it ended. */
  private final Map<Integer, String> reasons = new TreeMap<>();

  private final Consumer<AnswerEvent> answers;
  private final Consumer<String> log;

  private AnswerJob(Consumer<AnswerEvent> answers, Consumer<String> log) {
    this.answers = answers;
    this.log = log;
  }

  /**
   * Starts the ranks and waits for their end.
   *
   * @param answers gets the parts of the answer, by several threads, one at a time
   * @param log takes what else the processes print
   */
  public static void run(
      AnswerRequest request,
      Placement placement,
      Consumer<AnswerEvent> answers,
      Consumer<String> log) {
    new AnswerJob(answers, log).run(request, placement);
  }

  private void run(AnswerRequest request, Placement placement) {
    SavedRun.check(
        Path.of(request.run()), request.strategy(), request.device(), placement.hosts().size());
    LaunchPlan plan =
        LaunchPlan.of(
                placement.hosts().size(), AnswerRank.class.getName(), List.of(request.argument()))
            .compilingLater();
    LaunchResult outcome = new ProcessLauncher(plan, placement, this::take, log).run();
    if (outcome.exitCode() != 0) {
      throw failure(outcome);
    }
  }

  private synchronized void take(int rank, Source source, String line) {
    AnswerEvent.ofLine(line)
        .ifPresentOrElse(
            answers,
            () -> {
              if (!line.startsWith(ERROR)
                  || reasons.putIfAbsent(rank, line.substring(ERROR.length())) != null) {
                log.accept("[rank " + rank + "] " + line);
              }
            });
  }

  private synchronized TandemException failure(LaunchResult outcome) {
    int failed = outcome.failedRank().orElse(0);
    String why = reasons.getOrDefault(failed, outcome.summary());
    if (outcome.exitCode() == ExitCode.PEER_LOST.code()) {
      return new PeerLostException(failed, why);
    }
    return outcome.exitCode() == ExitCode.USAGE.code()
        ? new UsageException(why)
        : new WorkFailedException(why);
  }
}
