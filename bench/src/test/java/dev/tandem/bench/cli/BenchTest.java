package dev.tandem.bench.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BenchTest {

  @Test
  void everyBenchmarkHasHelpWithExamplesAndJson() {
    Bench.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              String help = command.getUsageMessage();
              assertTrue(help.startsWith("Usage: tandem bench " + name + " "), help);
              assertTrue(help.contains("--json") && help.contains("--quick"), help);
              assertTrue(help.contains("Examples"), help);
            });
  }

  @Test
  void anUnknownBenchmarkIsNamedInOneLine() {
    assertEquals(
        "tandem bench: unknown command 'speed'; see ./tandem bench --help",
        CommandRun.failed(2, "speed"));
  }
}
