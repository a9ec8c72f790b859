package dev.tandem.comm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.launch.RankOutput.Source;
import dev.tandem.core.WorkFailedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One rank as a child process, or the remote shell of one on another host, with the threads that
 * pass on what it prints.
 */
final class RankProcess {

  private final RankCommand command;
  private final boolean remote;
  private final Process process;
  private final List<Thread> readers = new ArrayList<>();
  private volatile Optional<Long> remoteProcess = Optional.empty();

  private RankProcess(RankCommand command, boolean remote, Process process) {
    this.command = command;
    this.remote = remote;
    this.process = process;
  }

  static RankProcess start(RankCommand command, RankOutput output) {
    int rank = command.job().rank();
    boolean remote = command.remote();
    ProcessBuilder builder =
        new ProcessBuilder(command.words()).directory(new File("").getAbsoluteFile());
    if (!remote) {
      builder.environment().putAll(command.variables());
    }
    try {
      RankProcess child = new RankProcess(command, remote, builder.start());
      child.forward(Source.OUT, child.process.getInputStream(), output);
      child.forward(Source.ERROR, child.process.getErrorStream(), output);
      if (remote) {
        child.write(command.script());
      }
      return child;
    } catch (IOException e) {
      throw new WorkFailedException("cannot start rank %d: %s".formatted(rank, e.getMessage()), e);
    }
  }

  private void write(String text) {
    try {
      OutputStream input = process.getOutputStream();
      input.write(text.getBytes(UTF_8));
      input.flush();
    } catch (IOException e) {
      // The remote shell has ended already; its exit code and what it printed say why.
    }
  }

  private void forward(Source source, InputStream stream, RankOutput output) {
    int rank = command.job().rank();
    readers.add(
        Thread.ofVirtual()
            .name("tandem-output-" + rank)
            .start(
                () -> {
                  try (BufferedReader reader =
                      new BufferedReader(new InputStreamReader(stream, UTF_8))) {
                    String line = reader.readLine();
                    while (line != null) {
                      if (!announcesProcess(source, line) && !JvmFlags.announcesVectors(line)) {
                        output.line(rank, source, line);
                      }
                      line = reader.readLine();
                    }
                  } catch (IOException e) {
                    // The process was ended in the middle of a line.
                  }
                }));
  }

  private boolean announcesProcess(Source source, String line) {
    if (!remote
        || source != Source.OUT
        || remoteProcess.isPresent()
        || !line.matches(RankCommand.PROCESS + "\\d{1,18}")) {
      return false;
    }
    remoteProcess = Optional.of(Long.parseLong(line.substring(RankCommand.PROCESS.length())));
    return true;
  }

  /** Waits for the end of the process. */
  RankExit await() {
    int code = process.onExit().join().exitValue();
    return new RankExit(
        command.job().rank(),
        code,
        remote ? Optional.of(command.job().host()) : Optional.empty(),
        Optional.empty());
  }

  boolean alive() {
    return process.isAlive();
  }

  /**
   * Asks the rank to end: SIGTERM, or a byte to its standard input if it is on another host, where
   * a signal would end only the remote shell. That shell, as long as it has not become the rank,
   * may swallow the byte: ask again.
   */
  void end() {
    if (remote) {
      write(String.valueOf((char) ParentWatch.TERMINATE));
    } else {
      // Process.destroy would close its standard input as well, and its parent watch cut it short.
      process.toHandle().destroy();
    }
  }

  /** Ends it for sure: SIGKILL, on its own host, and the end of its standard input. */
  void kill(Duration patience) {
    if (remote && remoteProcess.isPresent()) {
      killRemotely(remoteProcess.get(), patience);
    }
    process.destroyForcibly();
  }

  private void killRemotely(long number, Duration patience) {
    try {
      Process killer =
          new ProcessBuilder(command.remoteShell())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (OutputStream input = killer.getOutputStream()) {
        input.write("kill -9 %d\n".formatted(number).getBytes(UTF_8));
      }
      if (!killer.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        killer.destroyForcibly();
      }
    } catch (IOException e) {
      // The host cannot be reached any more; its end of the connection will notice.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether {@link #end} may have to be repeated. */
  boolean remote() {
    return remote;
  }

  /** Waits at most so long for its end; says whether it has ended. */
  boolean ended(Duration patience) {
    try {
      return process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      return !process.isAlive();
    }
  }

  /** Whether all it printed was passed on. */
  boolean drained() {
    return readers.stream().noneMatch(Thread::isAlive);
  }

  @Override
  public String toString() {
    return "process %d of rank %d".formatted(process.pid(), command.job().rank());
  }

  /** Waits until all it printed was passed on; grandchildren may hold the pipe, so not forever. */
  void drain() throws InterruptedException {
    for (Thread reader : readers) {
      reader.join(1000);
    }
  }
}
