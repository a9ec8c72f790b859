package dev.tandem.cli;

import dev.tandem.core.TandemException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.trace.ChromeTrace;
import dev.tandem.tune.trace.TaskTimeline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The {@code timeline.json} of a study. */
final class StudyTrace {

  private static final String NAME = "timeline.json";

  private StudyTrace() {}

  /** The trace of a study as its journal says it. */
  static String json(StudySession.Reading study) {
    return ChromeTrace.json(
        TaskTimeline.of(study.records()), trial -> study.state().trial(trial).parameters());
  }

  /** Writes it into the folder; one that cannot be written costs only a line. */
  static Path write(Path folder) {
    Path file = folder.resolve(NAME);
    try {
      byte[] text = json(StudySession.Reading.of(folder)).getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(file, ByteBuffer.wrap(text));
    } catch (TandemException e) {
      System.err.println("no timeline: " + e.getMessage());
    }
    return file;
  }
}
