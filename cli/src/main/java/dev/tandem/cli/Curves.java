package dev.tandem.cli;

import dev.tandem.board.Report;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.TrainingEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Takes the events of a run: shows its progress and keeps its curves for the report. */
final class Curves implements AutoCloseable {

  private static final int MOST_POINTS = 2000;

  private final Progress progress;
  private final List<Report.Point> loss = new ArrayList<>();
  private final List<Report.Point> testLoss = new ArrayList<>();
  private final List<Report.Point> accuracy = new ArrayList<>();
  private final List<Report.Point> rate = new ArrayList<>();
  private final List<Report.Point> batch = new ArrayList<>();
  private TrainingEvent.Loading loading;
  private Optional<TrainingEvent.Stragglers> stragglers = Optional.empty();
  private TrainingEvent.Result result;

  /** Begins with the first step, so that the rate shown is that of training, not of starting. */
  private Progress.Task task;

  Curves(Progress progress) {
    this.progress = progress;
  }

  /** The curves of a whole run as its folder has them; those that were told if it has none. */
  static Curves of(Path run, Curves told) {
    Path metrics = run.resolve("metrics.jsonl");
    if (!Files.isReadable(metrics)) {
      return told;
    }
    Curves curves = new Curves(Progress.SILENT);
    try (Stream<String> lines = Files.lines(metrics)) {
      lines.forEach(
          line -> TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + line).ifPresent(curves::add));
    } catch (IOException e) {
      throw FileErrors.failure("read", metrics, e);
    }
    return curves;
  }

  synchronized void add(TrainingEvent event) {
    switch (event) {
      case TrainingEvent.Step step -> {
        if (task == null) {
          task = progress.start("training", step.totalImages(), "images");
        }
        loss.add(new Report.Point(step.step(), step.loss()));
        rate.add(new Report.Point(step.step(), step.learningRate()));
        batch.add(new Report.Point(step.step(), step.batch()));
        task.advanceTo(step.images(), remark(step));
      }
      case TrainingEvent.Epoch epoch -> {
        testLoss.add(new Report.Point(epoch.step(), epoch.testLoss()));
        accuracy.add(new Report.Point(epoch.epoch(), epoch.testAccuracy() * 100));
      }
      case TrainingEvent.Loading report -> loading = report;
      case TrainingEvent.Stragglers report -> stragglers = Optional.of(report);
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

  synchronized Report report(String title, List<Report.Fact> facts) {
    List<Report.Chart> charts = new ArrayList<>();
    charts.add(
        new Report.Chart(
            "Loss",
            "step",
            "mean loss",
            List.of(
                new Report.Series("training", thinned(loss)),
                new Report.Series("test", testLoss))));
    charts.add(
        new Report.Chart(
            "Test accuracy",
            "epoch",
            "percent",
            List.of(new Report.Series("test accuracy", accuracy))));
    charts.add(
        new Report.Chart(
            "Learning rate",
            "step",
            "rate",
            List.of(new Report.Series("learning rate", thinned(rate)))));
    if (batch.stream().mapToDouble(Report.Point::y).distinct().count() > 1) {
      charts.add(
          new Report.Chart(
              "Batch", "step", "samples", List.of(new Report.Series("batch", thinned(batch)))));
    }
    return new Report(title, facts, charts);
  }

  /** More points than a screen has columns only make the page large. */
  private static List<Report.Point> thinned(List<Report.Point> points) {
    int stride = Math.ceilDiv(Math.max(1, points.size()), MOST_POINTS);
    List<Report.Point> some = new ArrayList<>();
    for (int i = 0; i < points.size(); i += stride) {
      some.add(points.get(i));
    }
    return some;
  }
}
