package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.CodeVersion;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TandemTest {

  private record Outcome(int code, String out, String err) {}

  private static Outcome run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Tandem.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Outcome(code, out.toString(), err.toString());
  }

  /** Checkpoints name the version of the jar of {@code core}, not that of the commands. */
  @Test
  void packagedCodeKnowsItsVersion() {
    String place = CodeVersion.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    assumeTrue(place.endsWith(".jar"), "Tandem is not packaged here, it runs from " + place);
    assertNotEquals("unpackaged", CodeVersion.current().tandem());
  }

  @Test
  void anUnknownCommandIsNamedInOneLine() {
    assertEquals(
        new Outcome(2, "", "tandem: unknown command 'frobnicate'; see ./tandem --help\n"),
        run("frobnicate"));
  }

  @Test
  void theBenchmarksAreListedAndStartedByTheLauncherAlone() {
    String help = run("--help").out();
    assertTrue(help.lines().anyMatch(line -> line.matches(" +bench +Measures Tandem.*")), help);
    assertEquals(
        new Outcome(
            2,
            "",
            "tandem: the benchmarks are a program of their own: start ./tandem bench read"
                + " --quick\n"),
        run("bench", "read", "--quick"));
  }

  @Test
  void aWrongOptionIsNamedInOneLine() {
    Outcome outcome = run("demo", "--ranks", "two");
    assertEquals(2, outcome.code());
    assertEquals(1, outcome.err().lines().count(), outcome.err());
    assertTrue(outcome.err().contains("--ranks"), outcome.err());
    assertTrue(outcome.err().endsWith("see ./tandem demo --help\n"), outcome.err());
  }

  @Test
  void aFolderThatIsNotThereIsNoticedBeforeTheWork() {
    Outcome outcome = run("demo", "--json", "/no/such/folder/out.json");
    assertEquals(2, outcome.code());
    assertEquals(
        "tandem: --json /no/such/folder/out.json: no such folder: /no/such/folder\n",
        outcome.err());
  }

  @Test
  void everyCommandHasHelpWithExamplesAndJson() {
    checkHelp(Tandem.commandLine());
  }

  private static void checkHelp(CommandLine command) {
    for (CommandLine sub : command.getSubcommands().values()) {
      if (sub.getCommand() instanceof TandemCommand) {
        String help = sub.getUsageMessage();
        assertTrue(help.contains("--json"), help);
        assertTrue(help.contains("Example"), help);
      }
      checkHelp(sub);
    }
  }

  @Test
  void optionsComeFromTheEnvironmentToo() {
    CommandLine demo = Tandem.commandLine().getSubcommands().get("demo");
    assertEquals("TANDEM_COMMIT_EVERY", EnvironmentDefaults.variable("--commit-every"));
    assertEquals(
        "7",
        new EnvironmentDefaults(Map.of("TANDEM_EPOCHS", "7"))
            .defaultValue(demo.getCommandSpec().findOption("--epochs")));
  }
}
