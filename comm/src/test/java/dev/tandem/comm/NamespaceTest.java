package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks on two hosts that are network namespaces of this machine. */
@Tag("slow")
class NamespaceTest {

  private static final List<String> FLAGS =
      List.of("-Xmx512m", "--enable-native-access=ALL-UNNAMED");

  @BeforeAll
  static void needsNamespaces() {
    Optional<String> obstacle = NamespaceHosts.obstacle();
    obstacle.ifPresent(reason -> System.out.println("NamespaceTest skipped: " + reason));
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElseThrow());
  }

  private static List<String> run(
      NamespaceHosts hosts,
      List<Integer> sides,
      Class<?> program,
      Map<String, String> variables,
      String... arguments)
      throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    LaunchPlan plan =
        LaunchPlan.of(sides.size(), program.getName(), List.of(arguments))
            .withJvmFlags(FLAGS)
            .withEnvironment(variables);
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(5),
            () ->
                new ProcessLauncher(
                        plan,
                        hosts.placement(sides),
                        (rank, source, text) -> lines.add(rank + ": " + text),
                        System.out::println)
                    .run());
    assertEquals(0, result.exitCode(), () -> result + "\n" + String.join("\n", lines));
    return lines;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void theCollectivesMatrixOverTwoHosts(int ranks) throws Exception {
    try (NamespaceHosts hosts = NamespaceHosts.create(1)) {
      List<Integer> sides = List.of(0, 1, 0, 1).subList(0, ranks);
      List<String> lines =
          run(hosts, sides, MatrixRank.class, Map.of(TransportKind.VARIABLE, "tcp"));
      assertEquals(ranks, lines.stream().filter(line -> line.endsWith("matrix done")).count());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2", "4"})
  void anAllreduceFillsTheLine(String sockets) throws Exception {
    try (NamespaceHosts hosts = NamespaceHosts.create(2)) {
      hosts.limit("1gbit");
      List<String> lines =
          run(
              hosts,
              List.of(0, 1),
              LineRateRank.class,
              Map.of(TransportKind.VARIABLE, "tcp", "TANDEM_SOCKETS", sockets),
              "1e9");
      for (String line : lines) {
        System.out.println(sockets + " sockets, rank " + line);
      }
      double share =
          lines.stream()
              .filter(line -> line.contains("share "))
              .mapToDouble(
                  line -> Double.parseDouble(line.replaceAll(".*share ([0-9.]+),.*", "$1")))
              .min()
              .orElse(0);
      assertTrue(share >= 0.93, () -> "used %.1f%% of the line".formatted(100 * share));
    }
  }

  @Test
  void leftoversOfACrashedRunAreRemoved() {
    NamespaceHosts abandoned = NamespaceHosts.create(3);
    try (NamespaceHosts again = NamespaceHosts.create(3)) {
      again.cut(0);
      again.mend(0);
    }
    // Removing what is gone is no failure.
    abandoned.close();
  }
}
