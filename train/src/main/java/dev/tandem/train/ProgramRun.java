package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.core.UsageException;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import dev.tandem.train.run.RunLock;
import dev.tandem.train.run.RunRecord;
import dev.tandem.train.run.RunRecord.State;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The folder of a run that a program began: rank 0 makes it, holds its lock and says in it how the
 * run stands; all others learn its name. One thread.
 */
final class ProgramRun implements RunPlace, AutoCloseable {

  /** The longest path, or message, in bytes. */
  private static final int LONGEST = 4096;

  /** How a message begins; no path does. */
  private static final char MISTAKE = '!';

  private final TrainingConfig config;
  private final Path runs;
  private final Path name;
  private final boolean resume;
  private Optional<RunLock> lock = Optional.empty();
  private Optional<RunRecord> record = Optional.empty();
  private Path folder;

  /**
   * A run that is not there yet, or continues.
   *
   * @param runs the folder of all runs, for a name with a number if it is taken; or else
   * @param name the run itself, absolute
   * @param resume whether the run is there already
   */
  ProgramRun(TrainingConfig config, Path runs, Path name, boolean resume) {
    this.config = config;
    this.runs = runs;
    this.name = name;
    this.resume = resume;
  }

  @Override
  public Path of(Communicator communicator) {
    config.checkRanks(communicator.size());
    byte[] answer = new byte[LONGEST];
    if (communicator.rank() == 0) {
      byte[] own = answer(communicator).getBytes(StandardCharsets.UTF_8);
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

  private String answer(Communicator communicator) {
    try {
      if (lock.isEmpty()) { // not a later generation
        folder = made();
        lock = Optional.of(RunLock.take(folder));
        config.save(folder);
        List<String> hosts = Collections.nCopies(communicator.size(), JobEnvironment.ONE_HOST);
        record = Optional.of(RunRecord.begin(folder, command(), hosts));
      }
      return folder.toString();
    } catch (UsageException e) {
      return MISTAKE + e.getMessage();
    }
  }

  /** The program and its arguments, as far as the virtual machine knows them. */
  private static List<String> command() {
    return List.of("java", System.getProperty("sun.java.command", ""));
  }

  private Path made() {
    Path run = runs.toAbsolutePath().normalize().resolve(name);
    if (resume) {
      if (!Files.exists(run.resolve(TrainingConfig.FILE))) {
        throw new UsageException("there is no run in %s to resume".formatted(run));
      }
      return run;
    }
    return name.isAbsolute()
        ? RunFolder.make(run)
            .orElseThrow(
                () ->
                    new UsageException(run + " exists already: resume it or choose another folder"))
            .path()
        : RunFolder.numbered(run.getParent(), name.toString()).path();
  }

  /** Takes what the ranks report. */
  void add(TrainingEvent event) {
    record.ifPresent(event::report);
  }

  /** The run has come to its end. */
  void done() {
    end(State.DONE, "");
  }

  /** The run has ended before its end. */
  void failed(RuntimeException cause) {
    end(State.after(cause), String.valueOf(cause.getMessage()));
  }

  private void end(State state, String error) {
    if (record.isPresent()) {
      record.get().end(state, error);
      try (RunLog log = new RunLog(folder, Clock.systemUTC())) {
        var _ = log.keep(new TrainingEvent.End(state.code(), error));
      }
    }
  }

  @Override
  public void close() {
    lock.ifPresent(RunLock::close);
  }
}
