package dev.tandem.train;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Networks that one process cannot train in a limit of memory, its JVM included, and that four
 * processes with the same limit each can: in control groups of version 1.
 */
@Tag("slow")
class MemoryLimitTrainingTest {

  private static final Path GROUPS = Path.of("/sys/fs/cgroup/memory");
  private static final int RANKS = 4;

  @TempDir Path folder;

  private final Path group = GROUPS.resolve("tandem-test-" + ProcessHandle.current().pid());

  @BeforeEach
  void makeGroups() {
    assumeTrue(
        Files.isWritable(GROUPS.resolve("memory.limit_in_bytes")),
        "limits of memory need root and control groups of version 1 in " + GROUPS);
    try {
      Files.createDirectory(group);
      for (int rank = 0; rank < RANKS; rank++) {
        Files.createDirectory(rankGroup(rank));
      }
    } catch (IOException e) {
      assumeTrue(false, "no control group can be made here: " + e);
    }
  }

  @AfterEach
  void removeGroups() throws IOException {
    for (int rank = 0; rank < RANKS; rank++) {
      Files.deleteIfExists(rankGroup(rank));
    }
    Files.deleteIfExists(group);
  }

  private Path rankGroup(int rank) {
    return group.resolve("rank" + rank);
  }

  /** 98 million parameters, with gradients and Adam's state 1.6 GB. */
  @Test
  void parametersThatDoNotFitOneRankFitFour() throws Exception {
    StringBuilder layers = new StringBuilder("  - {name: flatten, type: flatten}\n");
    for (int i = 0; i < 24; i++) {
      layers.append("  - {name: fc%d, type: fully-connected, outputs: 2048}\n".formatted(i));
      layers.append("  - {name: relu%d, type: relu}\n".formatted(i));
    }
    String config =
        """
        optimizer: {kind: adam}
        schedule: {kind: constant, rate: 1e-5}
        batch: {global: 32}
        steps: 2
        """;
    assertFitsOnlyFour(layers.toString(), config, "sharded", 1500L << 20);
  }

  /** 512 samples with 9 activations of 200 KB each. */
  @Test
  void activationsThatDoNotFitOneRankFitFour() throws Exception {
    StringBuilder layers = new StringBuilder();
    for (int i = 0; i < 9; i++) {
      layers.append(
          "  - {name: conv%d, type: convolution, filters: 64, kernel: %d}\n"
              .formatted(i, i == 0 ? 3 : 1));
      layers.append("  - {name: relu%d, type: relu}\n".formatted(i));
    }
    layers.append("  - {name: pool, type: global-average-pool}\n");
    String config =
        """
        optimizer: {kind: sgd}
        schedule: {kind: constant, rate: 0.01}
        batch: {global: 512}
        steps: 1
        """;
    assertFitsOnlyFour(layers.toString(), config, "spatial", 900L << 20);
  }

  private void assertFitsOnlyFour(String layers, String config, String strategy, long limit)
      throws Exception {
    for (int rank = 0; rank < RANKS; rank++) {
      Path own = rankGroup(rank);
      Files.writeString(own.resolve("memory.limit_in_bytes"), Long.toString(limit));
      Files.writeString(own.resolve("memory.swappiness"), "0");
    }
    String text =
        """
        network:
          input: [1, 28, 28]
          layers:
        %s    - {name: scores, type: fully-connected, outputs: 10}
        data: {train: unused, test: unused, normalise: {mean: 0.158, deviation: 0.211}}
        epochs: 1
        strategy: %s
        %s"""
            .formatted(layers.indent(2), strategy, config);
    Outcome alone = train(text, 1);
    assertTrue(alone.killed(), "one rank: " + alone);
    Outcome four = train(text, RANKS);
    assertTrue(!four.killed(), "four ranks: " + four);
    assertEquals(RANKS, four.output().split("trained to a loss of", -1).length - 1, four.output());
  }

  /**
   * What came of a job.
   *
   * @param killed whether the kernel has ended a rank for lack of memory
   */
  private record Outcome(boolean killed, String output) {}

  private Outcome train(String config, int ranks) throws Exception {
    Path run = Files.createDirectory(folder.resolve("of-" + ranks));
    Files.writeString(run.resolve("config.yaml"), config);
    Path job = run.resolve("job.properties");
    Files.createFile(
        job, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        job,
        "ranks=%d\nrendezvous=127.0.0.1:%d\nsecret=%s\n"
            .formatted(ranks, freePort(), "0123456789abcdef".repeat(4)));
    long before = kills();
    List<Process> processes = new ArrayList<>();
    try {
      for (int rank = 0; rank < ranks; rank++) {
        ProcessBuilder builder = new ProcessBuilder(command(rank, run)).redirectErrorStream(true);
        builder.redirectOutput(run.resolve("output-" + rank).toFile());
        builder.environment().put("TANDEM_JOB_FILE", job.toString());
        builder.environment().put("TANDEM_RANK", Integer.toString(rank));
        processes.add(builder.start());
      }
      Watchdog.within(
          Duration.ofMinutes(8),
          () -> {
            for (Process process : processes) {
              process.waitFor();
            }
            return null;
          });
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    StringBuilder output = new StringBuilder();
    for (int rank = 0; rank < ranks; rank++) {
      output.append(Files.readString(run.resolve("output-" + rank), UTF_8));
    }
    for (int rank = 0; rank < ranks; rank++) {
      Path most = rankGroup(rank).resolve("memory.max_usage_in_bytes");
      long bytes = Long.parseLong(Files.readString(most).strip());
      System.out.printf("rank %d of %d: at most %d MiB%n", rank, ranks, bytes >> 20);
      Files.writeString(most, "0");
    }
    return new Outcome(kills() > before, output.toString());
  }

  private List<String> command(int rank, Path run) {
    List<String> command = new ArrayList<>();
    // The shell enters the group and becomes the program.
    command.addAll(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
    command.add(rankGroup(rank).resolve("cgroup.procs").toString());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "--add-modules=jdk.incubator.vector"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(LimitedRank.class.getName(), run.toString()));
    return command;
  }

  private long kills() throws IOException {
    long kills = 0;
    for (int rank = 0; rank < RANKS; rank++) {
      for (String line : Files.readAllLines(rankGroup(rank).resolve("memory.oom_control"))) {
        if (line.startsWith("oom_kill ")) {
          kills += Long.parseLong(line.substring("oom_kill ".length()));
        }
      }
    }
    return kills;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
