package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Groups of this machine, where it lets us make some. */
class ControlGroupTest {

  private static final GroupLimit SLOW = new GroupLimit.Processors(0.2, Duration.ofMillis(10));

  private static Process start(ControlGroup group, String... command) throws Exception {
    return new ProcessBuilder(group.wrap(List.of(command))).redirectErrorStream(true).start();
  }

  private static void requires(GroupLimit limit) {
    Optional<String> missing = ControlGroup.missing(limit);
    assumeTrue(missing.isEmpty(), missing::get);
  }

  @Test
  void aCommandRunsInTheGroupAndIsCounted() throws Exception {
    requires(SLOW);
    try (ControlGroup group = ControlGroup.with("counted", List.of(SLOW))) {
      Process process =
          start(
              group,
              "sh",
              "-c",
              "cat /proc/self/cgroup; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7");
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(7, process.waitFor(), output);
      assertTrue(output.contains("-counted"), output);
      assertTrue(group.processorTime().orElseThrow().toNanos() > 0);
    }
  }

  @Test
  void allItsProcessesEndAtOnceAndTheGroupIsRemoved() throws Exception {
    requires(SLOW);
    Path groups = Path.of("/sys/fs/cgroup");
    try (ControlGroup group = ControlGroup.with("killed", List.of(SLOW))) {
      Process process = start(group, "sh", "-c", "setsid sleep 1000 & echo started; wait");
      assertEquals('s', process.getInputStream().read());
      Process added = new ProcessBuilder("sleep", "1000").start();
      group.add(added.pid());
      group.kill();
      assertTrue(process.waitFor() != 0);
      assertTrue(added.waitFor() != 0);
    }
    String name = "tandem-" + ProcessHandle.current().pid() + "-killed";
    for (String folder : List.of("cpu", "cpuacct", "unified", ".")) {
      assertFalse(Files.exists(groups.resolve(folder).resolve(name)), folder);
    }
  }

  @Test
  void aProcessThatTakesTooMuchMemoryIsEnded() throws Exception {
    GroupLimit little = new GroupLimit.Memory(16 << 20);
    requires(little);
    try (ControlGroup group = ControlGroup.with("memory", List.of(little))) {
      Process process = start(group, "sh", "-c", "head -c 64m /dev/zero | tail");
      process.getInputStream().readAllBytes();
      process.waitFor();
      assertTrue(group.memoryKills() > 0);
    }
  }

  @Test
  void aLimitThatIsNotThereIsRefusedWithItsReason() {
    GroupLimit limit = new GroupLimit.Tasks(100);
    Optional<String> missing = ControlGroup.missing(limit);
    assumeTrue(missing.isPresent(), "this machine can limit tasks");
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class,
            () -> ControlGroup.with("refused", List.of(limit)));
    assertEquals(missing.get(), refused.getMessage());
  }
}
