package dev.tandem.train.answer;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.ImageFiles;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
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
import java.util.function.Consumer;

/** Answers a request with an open run; of several ranks, each does the same. One thread. */
public final class Answering {

  /** Images that go through the network at once. */
  private static final int TOGETHER = 64;

  private final SavedRun run;
  private final AnswerRequest request;
  private final Consumer<AnswerEvent> answers;

  private Answering(SavedRun run, AnswerRequest request, Consumer<AnswerEvent> answers) {
    this.run = run;
    this.request = request;
    this.answers = answers;
  }

  /** Answers in this process. */
  public static void alone(AnswerRequest request, Consumer<AnswerEvent> answers) {
    try (SavedRun run =
        SavedRun.open(
            Path.of(request.run()), which(request), request.threads(), request.device())) {
      with(run, request, answers);
    }
  }

  static SavedRun.Which which(AnswerRequest request) {
    return request.best() ? SavedRun.Which.BEST : SavedRun.Which.LAST;
  }

  /** Answers with a run that is open already; the request's run is not looked at. */
  public static void with(SavedRun run, AnswerRequest request, Consumer<AnswerEvent> answers) {
    new Answering(run, request, answers).answer();
  }

  private void answer() {
    boolean arrays = run.config().data().records() == RecordKind.ARRAYS;
    if (request.files().isEmpty()) {
      answers.accept(opened(arrays, List.of()));
      evaluate();
    } else if (arrays) {
      rows();
    } else if (!request.header()) {
      throw new UsageException("--no-header is for the CSV files of runs that learned from tables");
    } else {
      answers.accept(opened(false, List.of()));
      images();
    }
  }

  private AnswerEvent.Opened opened(boolean arrays, List<String> targets) {
    return new AnswerEvent.Opened(run.step(), run.network().device(), arrays, targets);
  }

  private void evaluate() {
    DataPart own = run.config().data().part(Split.TEST, run.config().seed());
    DataPart part = request.data().isEmpty() ? own : own.at(Path.of(request.data()));
    try (RecordSource test = Sources.open(part, Locate.AUTO)) {
      if (test.size() == 0) {
        throw new UsageException(part.path() + " holds no records");
      }
      answers.accept(new AnswerEvent.Evaluated(run.evaluate(test)));
    }
  }

  private void rows() {
    RowPredictor predictor = new RowPredictor(run);
    answers.accept(opened(true, predictor.targets()));
    for (String file : request.files()) {
      predictor.predict(
          Path.of(file),
          request.header(),
          request.top(),
          prediction -> answers.accept(new AnswerEvent.Row(prediction)));
    }
  }

  private void images() {
    Predictor predictor = new Predictor(run);
    List<String> files = request.files();
    for (int first = 0; first < files.size(); first += TOGETHER) {
      images(predictor, files.subList(first, Math.min(files.size(), first + TOGETHER)));
    }
  }

  private void images(Predictor predictor, List<String> some) {
    List<String> good = new ArrayList<>();
    List<Image> images = new ArrayList<>();
    for (String file : some) {
      try {
        images.add(read(Path.of(file), predictor.grey()));
        good.add(file);
      } catch (TandemException e) {
        answers.accept(new AnswerEvent.Bad(file, e.getMessage()));
      }
    }
    List<List<Predictor.Answer>> given =
        images.isEmpty() ? List.of() : predictor.predict(images, request.top());
    for (int i = 0; i < given.size(); i++) {
      answers.accept(new AnswerEvent.Image(good.get(i), given.get(i)));
    }
  }

  private static Image read(Path file, boolean grey) {
    try {
      return Image.of(ImageFiles.decode(file.toString(), Files.readAllBytes(file), grey));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
