package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.core.WorkFailedException;
import dev.tandem.ensemble.combine.EnsembleEvaluation;
import dev.tandem.ensemble.combine.Members;
import dev.tandem.ensemble.combine.OpenMembers;
import dev.tandem.nn.Evaluation;
import dev.tandem.train.RegressionScores;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.answer.AnswerEvent;
import dev.tandem.train.answer.AnswerRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Evaluates a trained network. */
@Command(
    name = "eval",
    description = {
      "Evaluates the network of a run, or of one of its checkpoints, on a test set. For an"
          + " ensemble, or for several runs with commas between them: each member, and all together"
          + " by every method. Weights and combiners are fitted to one half of the test set and"
          + " judged by the other, then the other way round."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem eval runs/train                            on the run's own test set",
      "  ./tandem eval runs/train --best                     after its best validation",
      "  ./tandem eval runs/train/checkpoints/step-000000500",
      "  ./tandem eval runs/train --data other.db",
      "  ./tandem eval runs/train --device cuda              on a GPU, wherever it was trained",
      "  ./tandem eval runs/ensemble                         its members, and all together",
      "  ./tandem eval runs/a,runs/b,runs/c                  the same for runs of your choice",
      "  ./tandem eval runs/train -n 2 --strategy filter     the network split over 2 processes"
    })
final class EvalCommand extends TandemCommand {

  @Parameters(
      paramLabel = "RUN|CHECKPOINT|ENSEMBLE|RUN,RUN...",
      description = "The folder of a run, a checkpoint or an ensemble; or several runs.")
  private Path run;

  @Option(
      names = "--data",
      paramLabel = "PATH",
      description = "Another data set; its test half if it has two halves.")
  private Path data;

  @Mixin private AnswerOptions options;

  /** What {@code --json} gets. */
  record Results(
      String run,
      long step,
      long images,
      String device,
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = TrainingEvent.NotANumber.class)
          double accuracy,
      double testLoss,
      @JsonInclude(JsonInclude.Include.NON_NULL) RegressionScores regression,
      double seconds) {}

  @Override
  protected Object run() {
    Optional<Members> members = Members.of(run.toString());
    if (members.isPresent()) {
      return ensemble(members.get());
    }
    long began = System.nanoTime();
    AnswerRequest request =
        AnswerRequest.evaluation(
            run.toString(),
            options.best(),
            options.threads(),
            options.strategy(),
            options.device(),
            data == null ? "" : data.toString());
    List<AnswerEvent> answers = new ArrayList<>();
    options.ask(request, answers::add, err()::println);
    if (answers.size() != 2
        || !(answers.get(0) instanceof AnswerEvent.Opened opened)
        || !(answers.get(1) instanceof AnswerEvent.Evaluated(Evaluation evaluation))) {
      throw new WorkFailedException("the processes gave no answer: " + answers);
    }
    return print(opened, evaluation, (System.nanoTime() - began) / 1e9);
  }

  private EnsembleScores ensemble(Members members) {
    long began = System.nanoTime();
    try (OpenMembers open = options.open(members)) {
      EnsembleEvaluation evaluation = EnsembleEvaluation.of(open, Optional.ofNullable(data));
      EnsembleScores scores =
          EnsembleScores.of(run.toString(), open, evaluation, (System.nanoTime() - began) / 1e9);
      scores.print(out());
      return scores;
    }
  }

  private Results print(AnswerEvent.Opened opened, Evaluation evaluation, double seconds) {
    RegressionScores scores = RegressionScores.of(evaluation);
    if (scores == null) {
      out().printf("%20s: %.2f%%%n", "accuracy", evaluation.accuracy() * 100);
    } else {
      out().printf("%20s: %.6g%n", "MSE", scores.mse());
      out().printf("%20s: %.6g%n", "MAE", scores.mae());
      out().printf("%20s: %.4f%n", "R2", scores.r2());
    }
    out().printf("%20s: %.4f%n", "mean loss", evaluation.meanLoss());
    out().printf("%20s: %,d%n", opened.arrays() ? "samples" : "images", evaluation.samples());
    out().printf("%20s: %,d%n", "after step", opened.step());
    out().printf("%20s: %s%n", "device", opened.device());
    out().printf("%20s: %.1f s%n", "total time", seconds);
    return new Results(
        run.toString(),
        opened.step(),
        evaluation.samples(),
        opened.device(),
        scores == null ? evaluation.accuracy() : Double.NaN,
        evaluation.meanLoss(),
        scores,
        seconds);
  }
}
