package dev.tandem.cli;

import dev.tandem.train.RankMain;
import dev.tandem.train.RunLog;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.run.RunFolder;
import dev.tandem.train.run.RunLock;
import dev.tandem.train.run.RunRecord;
import dev.tandem.train.run.RunRecord.State;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A run that this process works on, from its lock to its end: no other process may, and its folder
 * says how it stands. A run that is stopped (Ctrl-C, SIGTERM) or fails is left complete:
 * half-written files are removed, its {@code run.json}, last event and report say what happened.
 */
final class RunSession implements AutoCloseable {

  /** After their grace, ranks are killed; then their end is written down. */
  private static final long PATIENCE_SECONDS = RankMain.GRACE.toSeconds() + 15;

  private final RunFolder run;
  private final RunLock lock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stopped, "tandem-run-ends");
  private RunRecord record;
  private volatile boolean training;

  private RunSession(RunFolder run, RunLock lock) {
    this.run = run;
    this.lock = lock;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Takes a run for this process; refuses one that another process works on. */
  static RunSession open(RunFolder run) {
    return new RunSession(run, RunLock.take(run.path()));
  }

  /**
   * Begins the run, or continues it.
   *
   * @param command the words that this process was started with
   * @param hostOfRank the host of every rank
   */
  void begin(List<String> command, List<String> hostOfRank) {
    record = RunRecord.begin(run.path(), command, hostOfRank);
  }

  Path path() {
    return run.path();
  }

  /** An event of the ranks. */
  void add(TrainingEvent event) {
    event.report(record);
  }

  /** Shows a line about the processes of the run, and keeps it. */
  void note(String line) {
    System.err.println(line);
    keep(new TrainingEvent.Note(line));
  }

  /** Trains; whatever comes of it is written down. */
  <T> T train(Supplier<T> work) {
    training = true;
    try {
      T result = work.get();
      end(State.DONE, "");
      return result;
    } catch (RuntimeException e) {
      end(State.after(e), String.valueOf(e.getMessage()));
      ReportFile.write(run.path());
      if (!hook.getState().equals(Thread.State.NEW)) {
        // The virtual machine ends as soon as the hook does: nobody else would say it.
        System.err.println("tandem: " + e.getMessage());
      }
      throw e;
    }
  }

  private void end(State state, String error) {
    record.end(state, error);
    keep(new TrainingEvent.End(state.code(), error));
  }

  /** The ranks have their own log; lines are appended whole. */
  private void keep(TrainingEvent event) {
    try (RunLog log = new RunLog(run.path(), Clock.systemUTC())) {
      var _ = log.keep(event);
    }
  }

  /** What ranks do at their end takes a moment; anything else ends at once. */
  private void stopped() {
    try {
      if (training && closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
      run.deletePending();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Removes half-written files and gives the run free. */
  @Override
  public void close() {
    run.deletePending();
    lock.close();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The virtual machine ends with the code of the signal; nothing is left to do or to say.
      closed.countDown();
      waitForTheEnd();
    }
  }

  private static void waitForTheEnd() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
