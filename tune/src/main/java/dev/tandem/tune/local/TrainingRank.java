package dev.tandem.tune.local;

import dev.tandem.core.TandemException;
import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import dev.tandem.train.TrainingResult;
import dev.tandem.tune.task.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A rank of a training run whose ranks are started by an engine, on several nodes if need be, each
 * with the environment of a rank. Arguments: the configuration, the folder of the run, and
 * settings. Rank 0 says what {@code tandem train} says to a study.
 */
public final class TrainingRank {

  private TrainingRank() {}

  /** Trains to the end. */
  public static void main(String[] arguments) {
    try {
      TrainingResult _ =
          Training.of(Path.of(arguments[0]))
              .folder(Path.of(arguments[1]))
              .set(Arrays.copyOfRange(arguments, 2, arguments.length))
              .on(new Events())
              .run();
    } catch (TandemException e) {
      System.err.println(e.getMessage());
      System.exit(e.exitCode().code());
    }
  }

  /** The words that start a rank of an attempt; its trial's parameters are settings. */
  public static List<String> words(Work.TrainWork work, int attempt) {
    List<String> words = new ArrayList<>();
    // A program of a trial starts in the folder of its attempt.
    words.addAll(List.of("sh", "-c", "cd \"$0\" && exec \"$@\"", work.directory().toString()));
    // The last word of the program is the class that it starts.
    words.addAll(work.program().subList(0, work.program().size() - 1));
    words.add(TrainingRank.class.getName());
    words.add(work.configuration().toString());
    words.add(work.call().attemptFolder(attempt).resolve("run").toString());
    work.call().parameters().values().forEach((name, value) -> words.add(name + "=" + value));
    return words;
  }

  /** Lines that a study understands. */
  private static final class Events implements TrainingListener {

    @Override
    public void onValidation(TrainingEvent.Epoch validation, RunControl control) {
      say(validation);
    }

    @Override
    public void onEnd(TrainingResult result) {
      say(result.details());
    }

    private static void say(TrainingEvent event) {
      System.out.println(TrainingEvent.LINE_PREFIX + event.json(System.currentTimeMillis()));
      System.out.flush();
    }
  }
}
