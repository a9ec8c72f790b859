package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.UsageException;
import dev.tandem.ensemble.combine.Combiner;
import dev.tandem.ensemble.combine.EnsembleEvaluation;
import dev.tandem.ensemble.combine.EnsemblePrediction;
import dev.tandem.ensemble.combine.Members;
import dev.tandem.ensemble.combine.OpenMembers;
import dev.tandem.train.Predictor;
import dev.tandem.train.RowPredictor;
import dev.tandem.train.answer.AnswerEvent;
import dev.tandem.train.answer.AnswerRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says what images show. */
@Command(
    name = "predict",
    description = {
      "Classifies image files with the network of a run or of one of its checkpoints. Images of"
          + " another size than the network's are resized. A file that is not an image is reported"
          + " in one line; the others are still classified. For a run that has learned from a"
          + " table: predicts the rows of CSV files, whose columns are found by their names. The"
          + " members of an ensemble, or several runs with commas between them, answer together."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem predict runs/train photo.png another.jpg",
      "  ./tandem predict runs/train --top 5 --json answers.json *.png",
      "  ./tandem predict runs/prices new.csv",
      "  ./tandem predict runs/ensemble photo.png",
      "  ./tandem predict runs/a,runs/b --combine majority photo.png",
      "  ./tandem predict runs/train -n 2 --strategy filter photo.png"
    })
final class PredictCommand extends TandemCommand {

  @Parameters(
      index = "0",
      paramLabel = "RUN|CHECKPOINT|ENSEMBLE|RUN,RUN...",
      description = "The folder of a run, a checkpoint or an ensemble; or several runs.")
  private Path run;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILES",
      description = "PNG, JPEG, ..., or CSV.")
  private List<Path> files;

  @Option(
      names = "--top",
      paramLabel = "K",
      defaultValue = "3",
      description = "Number of classes to print. Default: ${DEFAULT-VALUE}")
  private int top;

  @Option(
      names = "--no-header",
      description = "CSV: no names in line 1; columns are c1, c2, ... as they were at the import.")
  private boolean noHeader;

  @Mixin private CombineOption combine;
  @Mixin private AnswerOptions options;

  /** The answers for one file. */
  record Prediction(String file, List<Predictor.Answer> answers) {}

  /** A file that is no image. */
  record Bad(String file, String reason) {}

  /** What {@code --json} gets. */
  record Results(long step, List<Prediction> predictions, List<Bad> bad) {}

  /** What {@code --json} gets for the rows of tables. */
  record RowResults(long step, List<String> targets, List<RowPredictor.Prediction> predictions) {}

  /** The answer so far. */
  private AnswerEvent.Opened opened;

  private final List<Prediction> images = new ArrayList<>();
  private final List<Bad> bad = new ArrayList<>();
  private final List<RowPredictor.Prediction> rows = new ArrayList<>();

  @Override
  protected Object run() {
    if (top < 1) {
      throw new UsageException("--top must be at least 1, not " + top);
    }
    AnswerRequest request =
        new AnswerRequest(
            run.toString(),
            options.best(),
            options.threads(),
            options.strategy(),
            options.device(),
            "",
            files.stream().map(Path::toString).toList(),
            top,
            !noHeader);
    Optional<Members> members = Members.of(run.toString());
    if (members.isPresent()) {
      try (OpenMembers open = options.open(members.get())) {
        Combiner combiner = EnsembleEvaluation.combiner(open, combine.method());
        new EnsemblePrediction(open, combiner).predict(request, this::take);
      }
    } else {
      combine.refuse(run);
      options.ask(request, this::take, err()::println);
    }
    return opened.arrays()
        ? new RowResults(opened.step(), opened.targets(), rows)
        : new Results(opened.step(), images, bad);
  }

  private void take(AnswerEvent event) {
    switch (event) {
      case AnswerEvent.Opened first -> opened = first;
      case AnswerEvent.Image(String file, List<Predictor.Answer> answers) -> {
        images.add(new Prediction(file, answers));
        out().println(file + ": " + line(answers));
      }
      case AnswerEvent.Row(RowPredictor.Prediction row) -> {
        rows.add(row);
        out().printf("%s:%d: %s%n", row.file(), row.line(), line(opened.targets(), row));
      }
      case AnswerEvent.Bad(String file, String reason) -> {
        bad.add(new Bad(file, reason));
        err().println("tandem: " + reason);
      }
      case AnswerEvent.Evaluated _ -> throw new IllegalStateException("nothing was evaluated");
    }
  }

  @Override
  protected ExitCode exitCode(Object results) {
    return results instanceof Results all && !all.bad().isEmpty() ? ExitCode.FAILED : ExitCode.DONE;
  }

  private static String line(List<String> targets, RowPredictor.Prediction prediction) {
    if (prediction.values().isEmpty()) {
      return line(prediction.classes());
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      parts.add(String.format(Locale.ROOT, "%s %.6g", targets.get(i), prediction.values().get(i)));
    }
    return String.join(", ", parts);
  }

  private static String line(List<Predictor.Answer> answers) {
    return answers.stream()
        .map(a -> String.format(Locale.ROOT, "%s %.1f%%", a.name(), a.probability() * 100))
        .collect(Collectors.joining(", "));
  }
}
