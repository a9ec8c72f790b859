package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.ImageFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.Predictor;
import dev.tandem.train.RowPredictor;
import dev.tandem.train.SavedRun;
import dev.tandem.train.config.RecordKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says what images show. */
@Command(
    name = "predict",
    description = {
      "Classifies image files with the network of a run or of one of its checkpoints. Images of"
          + " another size than the network's are resized. A file that is not an image is reported"
          + " in one line; the others are still classified. For a run that has learned from a table:"
          + " predicts the rows of CSV files, whose columns are found by their names."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem predict runs/train photo.png another.jpg",
      "  ./tandem predict runs/train --top 5 --json answers.json *.png",
      "  ./tandem predict runs/prices new.csv"
    })
final class PredictCommand extends TandemCommand {

  /** Images that go through the network at once. */
  private static final int TOGETHER = 64;

  @Parameters(index = "0", paramLabel = "RUN|CHECKPOINT", description = "The folder of a run.")
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

  @Option(names = "--best", description = "The checkpoint after the best validation.")
  private boolean best;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Compute threads. Default: those of one rank of the run")
  private Integer threads;

  /** The answers for one file. */
  record Prediction(String file, List<Predictor.Answer> answers) {}

  /** A file that is no image. */
  record Bad(String file, String reason) {}

  /** What {@code --json} gets. */
  record Results(long step, List<Prediction> predictions, List<Bad> bad) {}

  /** What {@code --json} gets for the rows of tables. */
  record RowResults(long step, List<String> targets, List<RowPredictor.Prediction> predictions) {}

  @Override
  protected Object run() {
    if (top < 1) {
      throw new UsageException("--top must be at least 1, not " + top);
    }
    try (SavedRun saved = EvalCommand.open(run, best, threads)) {
      if (saved.config().data().records() == RecordKind.ARRAYS) {
        return predictRows(saved);
      }
      if (noHeader) {
        throw new UsageException(
            "--no-header is for the CSV files of runs that learned from tables");
      }
      Predictor predictor = new Predictor(saved);
      List<Prediction> predictions = new ArrayList<>();
      List<Bad> bad = new ArrayList<>();
      for (int first = 0; first < files.size(); first += TOGETHER) {
        List<Path> some = files.subList(first, Math.min(files.size(), first + TOGETHER));
        predictions.addAll(predict(predictor, some, bad));
      }
      return new Results(saved.step(), predictions, bad);
    }
  }

  @Override
  protected ExitCode exitCode(Object results) {
    return results instanceof Results all && !all.bad().isEmpty() ? ExitCode.FAILED : ExitCode.DONE;
  }

  private RowResults predictRows(SavedRun saved) {
    RowPredictor predictor = new RowPredictor(saved);
    List<String> targets = predictor.targets();
    List<RowPredictor.Prediction> predictions = new ArrayList<>();
    for (Path file : files) {
      predictor.predict(
          file,
          !noHeader,
          top,
          prediction -> {
            predictions.add(prediction);
            out().printf("%s:%d: %s%n", file, prediction.line(), line(targets, prediction));
          });
    }
    return new RowResults(saved.step(), targets, predictions);
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

  private List<Prediction> predict(Predictor predictor, List<Path> some, List<Bad> bad) {
    List<Path> good = new ArrayList<>();
    List<Image> images = new ArrayList<>();
    for (Path file : some) {
      try {
        images.add(read(file, predictor.grey()));
        good.add(file);
      } catch (TandemException e) {
        bad.add(new Bad(file.toString(), e.getMessage()));
        err().println("tandem: " + e.getMessage());
      }
    }
    List<Prediction> predictions = new ArrayList<>();
    List<List<Predictor.Answer>> answers =
        images.isEmpty() ? List.of() : predictor.predict(images, top);
    for (int i = 0; i < answers.size(); i++) {
      predictions.add(new Prediction(good.get(i).toString(), answers.get(i)));
      out().println(good.get(i) + ": " + line(answers.get(i)));
    }
    return predictions;
  }

  private static Image read(Path file, boolean grey) {
    try {
      return Image.of(ImageFiles.decode(file.toString(), Files.readAllBytes(file), grey));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static String line(List<Predictor.Answer> answers) {
    return answers.stream()
        .map(a -> String.format(Locale.ROOT, "%s %.1f%%", a.name(), a.probability() * 100))
        .collect(Collectors.joining(", "));
  }
}
