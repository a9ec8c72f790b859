package dev.tandem.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.core.ExitCode;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What all commands share: {@code --json}, {@code --debug}, {@code --help}. */
@CommandLine.Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class TandemCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results to FILE as JSON, too.")
  private Path json;

  @Option(names = "--debug", description = "Show a stack trace with an error.")
  private boolean debug;

  /** Does the work; failures are exceptions. The result becomes the JSON of {@code --json}. */
  protected abstract Object run() throws Exception;

  @Override
  public final Integer call() throws Exception {
    if (json != null) {
      requireWritable(json);
    }
    Object results = run();
    save(results);
    return exitStatus(results);
  }

  /**
   * Writes results to the file of {@code --json}, if there is one. A long command does so as it
   * goes on, too: what it has found survives an interruption.
   */
  protected final void save(Object results) {
    if (json != null) {
      DurableFiles.system().replace(json.toAbsolutePath(), encode(results));
    }
  }

  /** What the shell gets; only a command that runs programs of others has codes of its own. */
  protected int exitStatus(Object results) {
    return exitCode(results).code();
  }

  /** The exit code of a run that gave results; a command that looks for faults has its own. */
  protected ExitCode exitCode(Object results) {
    return ExitCode.DONE;
  }

  /** The words that this command was started with. */
  protected final List<String> words() {
    List<String> words = new ArrayList<>(List.of("./tandem"));
    words.addAll(spec.root().commandLine().getParseResult().originalArgs());
    return words;
  }

  /** Whether somebody reads the JSON. */
  final boolean wantsJson() {
    return json != null;
  }

  boolean debug() {
    return debug;
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Hours of work must not end at a folder that is not there. */
  private static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder)) {
      throw new UsageException("--json " + file + ": no such folder: " + folder);
    }
    if (Files.isDirectory(file) || !Files.isWritable(folder)) {
      throw new UsageException("--json " + file + ": cannot be written");
    }
  }

  private static ByteBuffer encode(Object results) {
    try {
      byte[] bytes =
          new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(results);
      return ByteBuffer.wrap(bytes);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
