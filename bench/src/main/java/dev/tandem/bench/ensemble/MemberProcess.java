package dev.tandem.bench.ensemble;

import dev.tandem.bench.Children;
import dev.tandem.core.WorkFailedException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A member process as the benchmark sees it; ends with it. One thread. */
final class MemberProcess implements AutoCloseable {

  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private final Path errors;

  private MemberProcess(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    requests = process.outputWriter(StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts a process; {@link #awaitReady} waits for it. */
  static MemberProcess start(Path database, Path folder) {
    try {
      Path errors = Files.createTempFile(folder, "member", ".err");
      List<String> command =
          Children.javaCommand(
              List.of("-Xmx256m"), EnsembleMemberMain.class.getName(), List.of(database));
      return new MemberProcess(
          new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  void awaitReady() {
    expect(EnsembleMemberMain.READY);
  }

  /** Begins a request. */
  void begin(MemberRequest request) {
    say(request.line());
  }

  /** Waits until it is done. */
  MemberReport report() {
    return MemberReport.of(hear());
  }

  /** Whether it has said something that was not heard, or has ended. */
  boolean answered() {
    try {
      return answers.ready() || !process.isAlive();
    } catch (IOException e) {
      throw failure();
    }
  }

  /** Lets it leave what it shares; {@link #awaitLeft} waits for that. */
  void leave() {
    say(EnsembleMemberMain.LEAVE);
  }

  void awaitLeft() {
    expect(EnsembleMemberMain.LEFT);
  }

  /** Ends it as a machine that fails does: by SIGKILL. */
  void kill() {
    process.destroyForcibly();
    try {
      var _ = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while a member was killed", e);
    }
  }

  private void say(String line) {
    try {
      requests.write(line);
      requests.newLine();
      requests.flush();
    } catch (IOException e) {
      throw failure();
    }
  }

  private void expect(String wanted) {
    String line = hear();
    if (!line.equals(wanted)) {
      throw new WorkFailedException("a member process printed '%s'".formatted(line));
    }
  }

  private String hear() {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw failure();
      }
      return line;
    } catch (IOException e) {
      throw failure();
    }
  }

  private WorkFailedException failure() {
    try {
      return new WorkFailedException("a member process ended: " + Files.readString(errors).strip());
    } catch (IOException e) {
      return new WorkFailedException("a member process ended");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
