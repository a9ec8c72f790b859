package dev.tandem.bench.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import picocli.CommandLine;

/** One benchmark's command, run in this process. */
record CommandRun(int exitCode, String out, String err) {

  static CommandRun of(Object... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Bench.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    int code =
        commandLine.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    return new CommandRun(code, out.toString(), err.toString());
  }

  /** A run that must end well. */
  static CommandRun done(Object... arguments) {
    CommandRun run = of(arguments);
    assertEquals(0, run.exitCode, run.err);
    return run;
  }

  /** A run that must end with this code and one line on standard error; gives the line. */
  static String failed(int code, Object... arguments) {
    CommandRun run = of(arguments);
    assertEquals(code, run.exitCode, run.err);
    assertEquals(1, run.err.lines().count(), run.err);
    return run.err.strip();
  }
}
