package dev.tandem.bench.tune;

import dev.tandem.bench.Children;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.tune.journal.JournalFile;
import dev.tandem.tune.journal.JournalRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The experiment of the thesis on this machine: 27 real trainings, three optimizers by three
 * numbers of epochs by three batches, on drawn digits instead of MNIST and with a tenth of the
 * epochs or less; on all processors with and without a trace, on half of them, and with more cores
 * for each. Each study is {@code tandem tune} as a user starts it.
 */
public final class ThesisStudy {

  /** The product's program. */
  static final String MAIN = "dev.tandem.cli.Tandem";

  private static final int TRIALS = 27;
  private static final Seed SEED = new Seed(1);

  /** What the thesis trained for, and what is trained for here. */
  public static final String SCALING =
      "epochs 1, 2, 3 of 2,000 drawn digits for 20, 50, 100 of 60,000 of MNIST";

  /** How one study went. */
  private record Outcome(
      double commandSeconds, double seconds, double trialSeconds, int complete) {}

  private final Path folder;
  private final Progress progress;
  private final int processors = Runtime.getRuntime().availableProcessors();

  /** A study whose files stay in a folder, reports among them. */
  public ThesisStudy(Path folder, Progress progress) {
    this.folder = folder.toAbsolutePath();
    this.progress = progress;
  }

  /** Runs all of it; seconds of each study. */
  public List<TuneRow> run() {
    write();
    List<TuneRow> rows = new ArrayList<>();
    int half = Math.max(1, processors / 2);
    try (Progress.Task task = progress.start("studies", 4, "studies")) {
      Outcome all = study("all", 1, processors, true);
      task.advanceTo(1);
      Outcome plain = study("untraced", 1, processors, false);
      task.advanceTo(2);
      Outcome some = study("half", 1, half, true);
      task.advanceTo(3);
      Outcome wide = study("wide", processors, 1, true);
      task.advanceTo(4);
      rows.add(row("1 core each, %d workers, seconds".formatted(processors), all.seconds()));
      rows.add(row("1 core each, %d workers, seconds".formatted(half), some.seconds()));
      rows.add(row("%d cores each, 1 worker, seconds".formatted(processors), wide.seconds()));
      rows.add(row("1 core, mean seconds of a training", some.trialSeconds()));
      rows.add(
          row("%d cores, mean seconds of a training".formatted(processors), wide.trialSeconds()));
      rows.add(
          TuneRow.of(
              "tracing",
              "thesis, 27 trainings, seconds of the command with and without",
              all.commandSeconds(),
              plain.commandSeconds()));
    }
    return rows;
  }

  private static TuneRow row(String name, double value) {
    return new TuneRow("efficiency", "thesis, 27 trainings, " + name, value, null, null, false);
  }

  private void write() {
    try {
      Files.createDirectories(folder);
      GlyphDatabase.write(folder.resolve("train"), SEED.derive("training"), 2000, progress);
      GlyphDatabase.write(folder.resolve("test"), SEED.derive("test"), 500, progress);
      Files.writeString(
          folder.resolve("glyphs.yaml"),
          """
          network: {model: digits}
          data: {train: "%s", test: "%s"}
          batch: {global: 32}
          optimizer: {kind: sgd}
          schedule: {kind: constant, rate: 0.001}
          epochs: 1
          seed: 1
          """
              .formatted(folder.resolve("train"), folder.resolve("test")));
      Files.writeString(
          folder.resolve("thesis.yaml"),
          """
          space:
            optimizer.kind: [adam, sgd, rmsprop]
            epochs: [1, 2, 3]
            batch.global: [32, 64, 128]
          objective: {train: glyphs.yaml}
          metric: accuracy
          direction: maximize
          sampler: grid
          """);
    } catch (IOException e) {
      throw FileErrors.failure("write", folder, e);
    }
  }

  private Outcome study(String name, int cores, int workers, boolean trace) {
    List<String> command =
        Children.javaCommand(
            List.of(),
            MAIN,
            List.of(
                "tune",
                folder.resolve("thesis.yaml"),
                "--name",
                name,
                "--runs",
                folder.resolve("runs"),
                "--workers",
                workers,
                "--set",
                "needs.cores=" + cores,
                "--set",
                "trace=" + trace));
    double seconds = Children.run(command).seconds();
    Path place = folder.resolve("runs").resolve(name);
    Outcome outcome =
        outcome(
            seconds, JournalFile.readOnly(DurableFiles.system(), place.resolve(JournalFile.NAME)));
    if (outcome.complete() < TRIALS) {
      throw new WorkFailedException(
          "%d of %d trainings are complete: see %s".formatted(outcome.complete(), TRIALS, place));
    }
    return outcome;
  }

  /** Seconds from the first start to the last end are without the start of the program. */
  private static Outcome outcome(double command, List<JournalRecord> records) {
    long first = Long.MAX_VALUE;
    long last = 0;
    double seconds = 0;
    int complete = 0;
    for (JournalRecord record : records) {
      if (record instanceof JournalRecord.Started started) {
        first = Math.min(first, started.time());
      }
      if (record instanceof JournalRecord.Ended ended) {
        last = Math.max(last, ended.time());
        if (ended.state().equals("COMPLETE")) {
          complete++;
          seconds += ended.seconds();
        }
      }
    }
    return new Outcome(command, (last - first) / 1e3, seconds / Math.max(1, complete), complete);
  }

  /** One line for a person. */
  public String describe() {
    return String.format(
        Locale.ROOT, "thesis: %s; %d processors; reports in %s", SCALING, processors, folder);
  }
}
