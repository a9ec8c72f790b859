package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.ensemble.combine.Members;
import dev.tandem.ensemble.combine.OpenMembers;
import dev.tandem.parallel.StrategyText;
import dev.tandem.train.SavedRun;
import dev.tandem.train.answer.AnswerEvent;
import dev.tandem.train.answer.AnswerJob;
import dev.tandem.train.answer.AnswerRequest;
import dev.tandem.train.answer.Answering;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that ask a run's network: which checkpoint, and which processes. */
final class AnswerOptions {

  @Option(
      names = "--best",
      description = "The checkpoint after the best validation instead of the last one.")
  private boolean best;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Compute threads of each process. Default: those of one rank of the run")
  private Integer threads;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description =
          "Number of processes over which the network is split. Default: as many as --hosts lists,"
              + " or as the sizes of --strategy say, or this process alone")
  private Integer ranks;

  @Option(
      names = "--strategy",
      paramLabel = "S",
      description =
          "How the network is split over several processes, as for train: filter, spatial=2x2,"
              + " data=2,filter=2, ... Any checkpoint opens with any strategy. Default: that of the"
              + " run")
  private String strategy;

  @Mixin private DeviceOption device;
  @Mixin private HostOptions hosts;

  boolean best() {
    return best;
  }

  /** Threads of each engine; 0 for as many as one rank of the run has. */
  int threads() {
    if (threads != null && threads < 1) {
      throw new UsageException("--threads must be at least 1, not " + threads);
    }
    return threads == null ? 0 : threads;
  }

  /** The words of the strategy; empty for that of the run. */
  String strategy() {
    return strategy == null ? "" : strategy;
  }

  /** What computes; empty for the default. */
  String device() {
    return device.word();
  }

  /** Opens the members of an ensemble, all in this process. */
  OpenMembers open(Members members) {
    if (ranks != null || strategy != null || hosts.hosts().isPresent()) {
      throw new UsageException(
          "the members of an ensemble are asked in this process: leave out -n, --strategy and"
              + " --hosts");
    }
    return OpenMembers.open(
        members, best ? SavedRun.Which.BEST : SavedRun.Which.LAST, threads(), device());
  }

  /** Asks in this process, or by several. */
  void ask(AnswerRequest request, Consumer<AnswerEvent> answers, Consumer<String> log) {
    int size = size();
    if (size == 0) {
      Answering.alone(request, answers);
    } else {
      AnswerJob.run(request, hosts.placement(size, "-n"), answers, log);
    }
  }

  /** How many processes; 0 for this one. */
  private int size() {
    int least = strategy == null ? 0 : StrategyText.parse(strategy).leastRanks();
    int size = ranks != null ? ranks : hosts.hosts().map(List::size).orElse(least > 1 ? least : 0);
    if (size < 0 || (ranks != null && size < 1)) {
      throw new UsageException("-n must be at least 1, not " + size);
    }
    if (strategy != null && size == 0) {
      throw new UsageException("--strategy %s: say how many processes with -n".formatted(strategy));
    }
    return size;
  }
}
