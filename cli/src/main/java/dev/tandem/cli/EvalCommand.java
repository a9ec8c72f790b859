package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Evaluation;
import dev.tandem.train.RegressionScores;
import dev.tandem.train.SavedRun;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.Validation;
import dev.tandem.train.config.RecordKind;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Evaluates a trained network. */
@Command(
    name = "eval",
    description = "Evaluates the network of a run, or of one of its checkpoints, on a test set.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem eval runs/train                            on the run's own test set",
      "  ./tandem eval runs/train --best                     after its best validation",
      "  ./tandem eval runs/train/checkpoints/step-000000500",
      "  ./tandem eval runs/train --data other.db"
    })
final class EvalCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN|CHECKPOINT", description = "The folder of a run or checkpoint.")
  private Path run;

  @Option(
      names = "--data",
      paramLabel = "PATH",
      description = "Another data set; its test half if it has two halves.")
  private Path data;

  @Option(
      names = "--best",
      description = "The checkpoint after the best validation instead of the last one.")
  private boolean best;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Compute threads. Default: those of one rank of the run")
  private Integer threads;

  /** What {@code --json} gets. */
  record Results(
      String run,
      long step,
      long images,
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = TrainingEvent.NotANumber.class)
          double accuracy,
      double testLoss,
      @JsonInclude(JsonInclude.Include.NON_NULL) RegressionScores regression,
      double seconds) {}

  @Override
  protected Object run() {
    long began = System.nanoTime();
    try (SavedRun saved = open(run, best, threads)) {
      DataPart own = saved.config().data().part(Split.TEST, saved.config().seed());
      DataPart part = data == null ? own : own.at(data);
      try (RecordSource test = Sources.open(part, Locate.AUTO)) {
        if (test.size() == 0) {
          throw new UsageException(part.path() + " holds no records");
        }
        Evaluation evaluation = Validation.alone(saved.config(), saved.network(), test);
        double seconds = (System.nanoTime() - began) / 1e9;
        RegressionScores scores = RegressionScores.of(evaluation);
        if (scores == null) {
          out().printf("%20s: %.2f%%%n", "accuracy", evaluation.accuracy() * 100);
        } else {
          out().printf("%20s: %.6g%n", "MSE", scores.mse());
          out().printf("%20s: %.6g%n", "MAE", scores.mae());
          out().printf("%20s: %.4f%n", "R2", scores.r2());
        }
        out().printf("%20s: %.4f%n", "mean loss", evaluation.meanLoss());
        out()
            .printf(
                "%20s: %,d%n",
                saved.config().data().records() == RecordKind.ARRAYS ? "samples" : "images",
                evaluation.samples());
        out().printf("%20s: %,d%n", "after step", saved.step());
        out().printf("%20s: %.1f s%n", "total time", seconds);
        return new Results(
            run.toString(),
            saved.step(),
            evaluation.samples(),
            scores == null ? evaluation.accuracy() : Double.NaN,
            evaluation.meanLoss(),
            scores,
            seconds);
      }
    }
  }

  /** Opens a run with as many threads as were asked for, or as training had. */
  static SavedRun open(Path run, boolean best, Integer threads) {
    if (threads != null && threads < 1) {
      throw new UsageException("--threads must be at least 1, not " + threads);
    }
    return SavedRun.open(
        run, best ? SavedRun.Which.BEST : SavedRun.Which.LAST, threads == null ? 0 : threads);
  }
}
