package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** liblmdb as others use it: Debian's tools and py-lmdb, each a process of its own. */
final class Peer implements AutoCloseable {

  private static final Path PYTHON = Path.of("/usr/bin/python3");

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  private Peer(Process process) {
    this.process = process;
    this.commands = process.outputWriter(UTF_8);
    this.answers = process.inputReader(UTF_8);
  }

  /** Skips the test where there is no py-lmdb; to be called by the thread of the test. */
  static void require() throws IOException {
    boolean usable =
        Files.isExecutable(PYTHON) && run(PYTHON.toString(), "-c", "import lmdb").code == 0;
    skipUnless(usable, "py-lmdb is not installed");
  }

  /** A py-lmdb that stays; skips the test where there is none. */
  static Peer start() throws IOException {
    require();
    String script;
    try (InputStream stream = Peer.class.getResourceAsStream("peer.py")) {
      script = new String(stream.readAllBytes(), UTF_8);
    }
    return new Peer(
        new ProcessBuilder(PYTHON.toString(), "-u", "-c", script)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Sends a line and returns the answer, which starts with "ok" unless the peer failed. */
  String ask(String line) throws IOException {
    commands.write(line);
    commands.write('\n');
    commands.flush();
    String answer = answers.readLine();
    if (answer == null || !answer.startsWith("ok")) {
      throw new AssertionError("py-lmdb on '" + line + "': " + answer);
    }
    return answer.substring(2).strip();
  }

  /** Kills it with signal 9 and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws IOException {
    if (!process.isAlive()) {
      return;
    }
    commands.close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** What a command printed and how it ended. */
  record Result(int code, String out, String err) {}

  static Result run(String... command) throws IOException {
    Path err = Files.createTempFile("peer", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new Result(process.waitFor(), out, Files.readString(err));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(err);
    }
  }

  /** Output of a tool that must succeed; skips the test where it is not installed. */
  static String tool(String... command) throws IOException {
    skipUnless(isInstalled(command[0]), command[0] + " (lmdb-utils) is not installed");
    Result result = run(command);
    if (result.code != 0) {
      throw new AssertionError(List.of(command) + " failed: " + result.err);
    }
    return result.out;
  }

  static boolean isInstalled(String tool) {
    return Files.isExecutable(Path.of("/usr/bin", tool));
  }

  private static void skipUnless(boolean usable, String reason) {
    if (!usable) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(usable, reason);
  }
}
