package dev.tandem.cli;

import dev.tandem.board.Report;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.train.TrainingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Takes the events of a run: shows its progress and keeps its curves for the report. */
final class Curves implements AutoCloseable {

  private final Progress progress;
  private final List<Report.Point> loss = new ArrayList<>();
  private final List<Report.Point> testLoss = new ArrayList<>();
  private final List<Report.Point> accuracy = new ArrayList<>();
  private TrainingEvent.Loading loading;
  private TrainingEvent.Result result;

  /** Begins with the first step, so that the rate shown is that of training, not of starting. */
  private Progress.Task task;

  Curves(Progress progress) {
    this.progress = progress;
  }

  synchronized void add(TrainingEvent event) {
    switch (event) {
      case TrainingEvent.Step step -> {
        if (task == null) {
          task = progress.start("training", step.totalImages(), "images");
        }
        loss.add(new Report.Point(step.step(), step.loss()));
        task.advanceTo(step.images(), remark(step));
      }
      case TrainingEvent.Epoch epoch -> {
        testLoss.add(new Report.Point(epoch.step(), epoch.testLoss()));
        accuracy.add(new Report.Point(epoch.epoch(), epoch.testAccuracy() * 100));
      }
      case TrainingEvent.Loading report -> loading = report;
      case TrainingEvent.Result end -> result = end;
    }
  }

  private String remark(TrainingEvent.Step step) {
    String text = String.format(Locale.ROOT, "loss %.3f", step.loss());
    return accuracy.isEmpty()
        ? text
        : text + String.format(Locale.ROOT, "  test accuracy %.2f%%", accuracy.getLast().y());
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

  private static <T> T required(T event) {
    if (event == null) {
      throw new WorkFailedException("training ended without a result; see the lines above");
    }
    return event;
  }

  synchronized Report report(String title, List<Report.Fact> facts) {
    return new Report(
        title,
        facts,
        List.of(
            new Report.Chart(
                "Loss",
                "step",
                "mean loss",
                List.of(new Report.Series("training", loss), new Report.Series("test", testLoss))),
            new Report.Chart(
                "Test accuracy",
                "epoch",
                "percent",
                List.of(new Report.Series("test accuracy", accuracy)))));
  }
}
