package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.TrainingConfig;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The folder of a run that a program began: rank 0 makes it, all others learn its name.
 *
 * @param runs the folder of all runs, for a name with a number if it is taken; or else
 * @param name the run itself, absolute
 * @param resume whether the run is there already
 */
record ProgramRun(Path runs, Path name, boolean resume) implements RunPlace {

  /** The longest path, or message, in bytes. */
  private static final int LONGEST = 4096;

  /** How a message begins; no path does. */
  private static final char MISTAKE = '!';

  /** A file by which commands know that a folder is a run's. */
  private static final String MARKER = ".tandem-run";

  @Override
  public Path of(Communicator communicator) {
    byte[] answer = new byte[LONGEST];
    if (communicator.rank() == 0) {
      byte[] own = answer().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(own, 0, answer, 0, Math.min(own.length, LONGEST));
    }
    MemorySegment segment = MemorySegment.ofArray(answer);
    communicator.broadcast(segment, 0);
    int length = 0;
    while (length < LONGEST && answer[length] != 0) {
      length++;
    }
    String text = new String(Arrays.copyOf(answer, length), StandardCharsets.UTF_8);
    if (text.charAt(0) == MISTAKE) {
      throw new UsageException(text.substring(1));
    }
    return Path.of(text);
  }

  private String answer() {
    try {
      return made().toString();
    } catch (UsageException e) {
      return MISTAKE + e.getMessage();
    }
  }

  private Path made() {
    Path run = runs.toAbsolutePath().normalize().resolve(name);
    if (resume) {
      if (!Files.exists(run.resolve(TrainingConfig.FILE))) {
        throw new UsageException("there is no run in %s to resume".formatted(run));
      }
      return run;
    }
    for (int number = 2; !name.isAbsolute() && Files.exists(run); number++) {
      run = run.resolveSibling(name + "-" + number);
    }
    if (Files.exists(run)) {
      throw new UsageException(run + " exists already: resume it or choose another folder");
    }
    try {
      Files.createDirectories(run);
      Files.createFile(run.resolve(MARKER));
      return run;
    } catch (IOException e) {
      throw FileErrors.failure("make the run folder", run, e);
    }
  }
}
