package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySession;
import java.nio.file.Path;

/** Finds the folder of a study that was named. */
final class StudyPlace {

  private StudyPlace() {}

  /** By its folder, or by its name below {@code runs}. */
  static Path of(Path given) {
    if (StudySession.exists(given)) {
      return given;
    }
    Path below = RunsCommand.RUNS.resolve(given);
    if (!given.isAbsolute() && given.getNameCount() == 1 && StudySession.exists(below)) {
      return below;
    }
    throw new UsageException(given + " is not the folder of a study, which has a study.journal");
  }
}
