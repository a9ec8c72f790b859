package dev.tandem.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's Python as a peer: a test that needs it, or a module of it, skips without. */
public final class Python {

  private static final Path PROGRAM = Path.of("/usr/bin/python3");
  private static final int MISSING = 77;

  private Python() {}

  /** Runs a script that needs these modules; gives what it prints. */
  public static String run(List<String> modules, String script, Object... arguments)
      throws Exception {
    assumeTrue(Files.isExecutable(PROGRAM), "skipped: there is no " + PROGRAM);
    StringBuilder text =
        new StringBuilder("import sys, warnings\nwarnings.simplefilter('ignore')\n");
    text.append("try:\n  pass\n");
    modules.forEach(module -> text.append("  import ").append(module).append('\n'));
    text.append("except ImportError:\n  sys.exit(").append(MISSING).append(")\n").append(script);
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-c", text.toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    process.waitFor(1, TimeUnit.MINUTES);
    int exit = process.exitValue();
    if (exit == MISSING) {
      System.out.println("skipped: Python has not all of " + modules + " (.ci/install-peers)");
    }
    assumeTrue(exit != MISSING, "skipped: Python has not all of " + modules);
    assertEquals(0, exit, printed);
    return printed;
  }
}
