package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.StoppedException;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunLock;
import dev.tandem.train.run.RunRecord;
import dev.tandem.train.run.RunRecord.State;
import java.io.IOException;
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

  /** A file by which commands know that a folder is a run's. */
  private static final String MARKER = ".tandem-run";

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
    State state =
        switch (cause) {
          case PeerLostException _ -> State.LOST;
          case StoppedException _ -> State.STOPPED;
          default -> State.FAILED;
        };
    end(state, String.valueOf(cause.getMessage()));
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
