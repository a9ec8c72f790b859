package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.train.TrainingEvent;
import java.util.Locale;
import java.util.Optional;

/** Takes the events of a run: shows its progress and keeps what it ended with. */
final class Curves implements AutoCloseable {

  private final Progress progress;
  private Optional<TrainingEvent.Epoch> tested = Optional.empty();
  private TrainingEvent.Loading loading;
  private Optional<TrainingEvent.Stragglers> stragglers = Optional.empty();
  private TrainingEvent.Result result;

  private String strategy = "";

  /** Begins with the first step, so that the rate shown is that of training, not of starting. */
  private Progress.Task task;

  Curves(Progress progress) {
    this.progress = progress;
  }

  synchronized void add(TrainingEvent event) {
    switch (event) {
      case TrainingEvent.Step step -> {
        if (task == null) {
          task = progress.start("training" + strategy, step.totalImages(), "images");
        }
        task.advanceTo(step.images(), remark(step));
      }
      case TrainingEvent.Epoch epoch -> tested = Optional.of(epoch);
      case TrainingEvent.Loading report -> loading = report;
      case TrainingEvent.Stragglers report -> stragglers = Optional.of(report);
      case TrainingEvent.Result end -> result = end;
      case TrainingEvent.Begin begin -> strategy = strategy(begin);
      case TrainingEvent.Ranks _,
          TrainingEvent.SystemLoad _,
          TrainingEvent.Checkpoint _,
          TrainingEvent.Rewind _,
          TrainingEvent.Generation _,
          TrainingEvent.Layers _,
          TrainingEvent.Note _,
          TrainingEvent.End _ -> {
        // Not shown.
      }
    }
  }

  /** Only a split network is worth a word: it is what the rate depends on. */
  private static String strategy(TrainingEvent.Begin begin) {
    return begin.strategy() == null || begin.strategy().matches("(data=\\d+)?")
        ? ""
        : " (" + begin.strategy() + ")";
  }

  private String remark(TrainingEvent.Step step) {
    String text = String.format(Locale.ROOT, "loss %.3f", step.loss());
    return tested
        .map(
            epoch ->
                epoch.regression() == null
                    ? String.format(
                        Locale.ROOT, "  test accuracy %.2f%%", 100 * epoch.testAccuracy())
                    : "  test " + epoch.regression().sentence())
        .map(text::concat)
        .orElse(text);
  }

  /** Ends the line of progress. */
  @Override
  public synchronized void close() {
    if (task != null) {
      task.close();
    }
  }

  synchronized TrainingEvent.Result result() {
    return required(result);
  }

  /** What held the loading up, over the whole run. */
  synchronized TrainingEvent.Loading loading() {
    return required(loading);
  }

  /** Who held other ranks up last, if there are several. */
  synchronized Optional<TrainingEvent.Stragglers> stragglers() {
    return stragglers;
  }

  private static <T> T required(T event) {
    if (event == null) {
      throw new WorkFailedException("training ended without a result; see the messages above");
    }
    return event;
  }
}
