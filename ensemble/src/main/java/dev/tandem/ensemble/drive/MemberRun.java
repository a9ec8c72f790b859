package dev.tandem.ensemble.drive;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.Restarts;
import dev.tandem.core.ExitCode;
import dev.tandem.core.StoppedException;
import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.ensemble.EnsembleRecord;
import dev.tandem.train.RankMain;
import dev.tandem.train.RunLog;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.config.ShareConfig;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import dev.tandem.train.run.RunLock;
import dev.tandem.train.run.RunRecord;
import dev.tandem.train.run.RunRecord.State;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One member: an ordinary run of one or several processes of this machine. Its processes are
 * started again, from its last checkpoint, when one of them is lost. {@link #run} is for one
 * thread; all else may be asked by any.
 */
final class MemberRun {

  private static final String ERROR = "error: ";

  private final String name;
  private final RunFolder folder;
  private final TrainingConfig config;
  private final int ranks;
  private final Consumer<String> notes;
  private final Map<Integer, String> reasons = new TreeMap<>();
  private String state;
  private TrainingEvent.Step step;
  private TrainingEvent.Epoch epoch;
  private String error = "";
  private int restarted;

  /**
   * A member that does not run yet.
   *
   * @param member as it stands; one that is done has nothing left to do
   * @param notes takes lines about it
   */
  MemberRun(
      EnsembleRecord.Member member,
      RunFolder folder,
      TrainingConfig config,
      int ranks,
      Consumer<String> notes) {
    this.name = member.name();
    this.folder = folder;
    this.config = config;
    this.ranks = ranks;
    this.notes = notes;
    this.state = member.done() ? "done" : "queued";
  }

  String name() {
    return name;
  }

  RunFolder folder() {
    return folder;
  }

  synchronized boolean is(String asked) {
    return state.equals(asked);
  }

  synchronized String state() {
    return state;
  }

  /** Threads with which it prepares samples that it shares. */
  int preparationThreads() {
    return config.data().share().filter(ShareConfig::prepare).isPresent()
        ? ranks * config.data().threads()
        : 0;
  }

  synchronized EnsembleRecord.Member record(EnsembleRecord.Member before) {
    Double accuracy =
        epoch == null
            ? before.accuracy()
            : Double.isNaN(epoch.testAccuracy()) ? null : Double.valueOf(epoch.testAccuracy());
    Double loss = epoch == null ? before.testLoss() : Double.valueOf(epoch.testLoss());
    return new EnsembleRecord.Member(
        name, folder.path().getFileName().toString(), state, accuracy, loss);
  }

  synchronized String error() {
    return error;
  }

  synchronized int restarted() {
    return restarted;
  }

  /** Samples that it has trained on. */
  synchronized long samples() {
    return step == null ? 0 : step.images();
  }

  /** A few words on how far it is; empty before its first step. */
  synchronized String progress() {
    if (step == null || step.totalImages() == 0) {
      return "";
    }
    String text =
        String.format(Locale.ROOT, "%s %d%%", name, 100 * step.images() / step.totalImages());
    return epoch == null || Double.isNaN(epoch.testAccuracy())
        ? text
        : text + String.format(Locale.ROOT, " (%.1f%% right)", 100 * epoch.testAccuracy());
  }

  /**
   * Trains to the end.
   *
   * @param command the words that began it
   * @param restarts how often processes may be replaced, of all members
   * @param resume whether it may have a checkpoint
   */
  void run(List<String> command, Restarts restarts, boolean resume) {
    try (RunLock _ = RunLock.take(folder.path())) {
      config.save(folder.path());
      Placement placement = Placement.here(ranks);
      RunRecord record = RunRecord.begin(folder.path(), command, placement.hosts());
      become("running");
      try {
        train(placement, record, restarts, resume);
        end(record, State.DONE, "");
      } catch (TandemException e) {
        end(record, State.after(e), String.valueOf(e.getMessage()));
      }
    } catch (TandemException e) {
      synchronized (this) {
        state = "failed";
        error = String.valueOf(e.getMessage());
      }
    } finally {
      folder.deletePending();
    }
  }

  private synchronized void become(String now) {
    state = now;
  }

  private synchronized void end(RunRecord record, State how, String why) {
    state = how.code();
    error = why;
    record.end(how, why);
    try (RunLog log = new RunLog(folder.path(), Clock.systemUTC())) {
      var _ = log.keep(new TrainingEvent.End(how.code(), why));
    }
  }

  private void train(Placement placement, RunRecord record, Restarts restarts, boolean resume) {
    boolean again = resume;
    while (true) {
      List<String> arguments = new ArrayList<>(List.of(folder.path().toString()));
      if (again) {
        arguments.add(RankMain.RESUME_OR_BEGIN);
      }
      LaunchPlan plan =
          LaunchPlan.of(ranks, RankMain.class.getName(), arguments)
              .withGrace(RankMain.GRACE)
              .compilingLater();
      LaunchResult outcome =
          new ProcessLauncher(
                  plan, placement, (rank, _, line) -> take(rank, line, record), this::note)
              .run();
      if (outcome.exitCode() == ExitCode.DONE.code()) {
        return;
      }
      if (outcome.exitCode() != ExitCode.PEER_LOST.code() || !restarts.take()) {
        throw failure(outcome);
      }
      synchronized (this) {
        restarted++;
        reasons.clear();
      }
      note("%s; restart %s from its last checkpoint".formatted(outcome.summary(), restarts));
      again = true;
    }
  }

  private void note(String line) {
    notes.accept("member " + name + ": " + line);
    try (RunLog log = new RunLog(folder.path(), Clock.systemUTC())) {
      var _ = log.keep(new TrainingEvent.Note(line));
    }
  }

  private synchronized void take(int rank, String line, RunRecord record) {
    Optional<TrainingEvent> event = TrainingEvent.ofLine(line);
    if (event.isPresent()) {
      event.get().report(record);
      switch (event.get()) {
        case TrainingEvent.Step made -> step = made;
        case TrainingEvent.Epoch tested -> epoch = tested;
        default -> {
          // In its metrics.jsonl.
        }
      }
    } else if (!line.startsWith(ERROR)
        || reasons.putIfAbsent(rank, line.substring(ERROR.length())) != null) {
      notes.accept("member " + name + ", rank " + rank + ": " + line);
    }
  }

  private synchronized TandemException failure(LaunchResult outcome) {
    int failed = outcome.failedRank().orElse(0);
    String why = reasons.getOrDefault(failed, outcome.summary());
    if (outcome.exitCode() == ExitCode.INTERRUPTED.code()
        || outcome.exitCode() == ExitCode.STOPPED_AS_ASKED.code()) {
      return new StoppedException(why);
    }
    return new WorkFailedException(why);
  }
}
