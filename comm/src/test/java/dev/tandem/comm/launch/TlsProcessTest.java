package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.TestKeystore;
import dev.tandem.comm.TransportKind;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.core.ExitCode;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes whose connections are encrypted. */
class TlsProcessTest {

  // With the better compiler: without it Java's ciphers are slow.
  private static final List<String> SMALL =
      List.of("-Xmx128m", "--enable-native-access=ALL-UNNAMED");

  @TempDir static Path folder;

  private static TestKeystore keystore;

  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final long[] processes = new long[3];

  @BeforeAll
  static void makeKeystore() throws Exception {
    keystore = TestKeystore.make(folder, "job");
  }

  private static LaunchPlan plan(Map<String, String> variables, String... arguments) {
    Map<String, String> all = new HashMap<>(variables);
    all.put(TransportKind.VARIABLE, "tcp");
    return LaunchPlan.of(3, SummingRank.class.getName(), List.of(arguments))
        .withJvmFlags(SMALL)
        .withEnvironment(all);
  }

  private LaunchResult launch(LaunchPlan plan, Placement placement, Runnable whenRankOneRuns)
      throws Exception {
    RankOutput output =
        (rank, source, text) -> {
          lines.add(rank + ": " + text);
          if (text.startsWith("pid ")) {
            processes[rank] = Long.parseLong(text.substring(4));
          }
          if (rank == 1 && text.equals("running")) {
            whenRankOneRuns.run();
          }
        };
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> new ProcessLauncher(plan, placement, output, lines::add).run());
  }

  private long count(String part) {
    return List.copyOf(lines).stream().filter(line -> line.contains(part)).count();
  }

  @Test
  void aKilledRankIsNamedByAllSurvivors() throws Exception {
    LaunchResult result =
        launch(
            plan(keystore.variables(), "0", "-1"),
            Placement.here(3),
            () -> ProcessHandle.of(processes[1]).orElseThrow().destroyForcibly());
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), lines::toString);
    assertEquals(OptionalInt.of(1), result.failedRank(), lines::toString);
    assertEquals(2, count("error: lost rank 1:"), lines::toString);
  }

  /** Keys are changed every 256 KiB, where Java by itself would do so every 128 GiB. */
  @Tag("slow")
  @Test
  void keysMayChangeOnTheWay() throws Exception {
    Path security =
        Files.writeString(
            folder.resolve("security"),
            "jdk.tls.keyLimits=AES/GCM/NoPadding KeyUpdate 2^18, "
                + "ChaCha20-Poly1305 KeyUpdate 2^18\n");
    List<String> flags = new ArrayList<>(SMALL);
    flags.add("-Djava.security.properties=" + security);
    LaunchPlan plan = plan(keystore.variables(), "30", "-1").withJvmFlags(flags);
    LaunchResult result = launch(plan, Placement.here(3), () -> {});
    assertEquals(LaunchResult.ALL_WELL, result, lines::toString);
    assertEquals(3, count("sum 6"), lines::toString);
  }

  @Test
  void thePasswordIsOnNoCommandLine() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    Placement here = Placement.here(3);
    Placement elsewhere =
        new Placement(
            List.of("localhost", "b", "b"),
            List.of(RemoteShell.write(folder).toString()),
            here.java(),
            here.classPath(),
            here.meetingPoint(),
            here.secret());
    LaunchResult result =
        launch(
            plan(keystore.variables(), "30", "-1"),
            elsewhere,
            () ->
                ProcessHandle.current()
                    .descendants()
                    .forEach(process -> seen.add(commandLine(process.pid()))));
    assertEquals(LaunchResult.ALL_WELL, result, lines::toString);
    assertEquals(3, count("sum 6"), lines::toString);
    assertTrue(seen.toString().contains("SummingRank"), seen::toString);
    assertFalse(seen.toString().contains(TestKeystore.PASSWORD), seen::toString);
  }

  private static String commandLine(long process) {
    try {
      return Files.readString(Path.of("/proc/" + process + "/cmdline"));
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aKeystoreThatDoesNotServeStartsNothing() {
    Map<String, String> variables = new HashMap<>(keystore.variables());
    variables.put(TlsKeys.PASSWORD, "another one");
    assertThrows(
        UsageException.class,
        () -> launch(plan(variables, "5", "-1"), Placement.here(3), () -> {}));
    assertEquals(List.of(), lines);
  }
}
