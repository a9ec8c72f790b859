package dev.tandem.comm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.posix.MachineMemory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranks share a quarter of their machine's memory as heap, unless their flags say otherwise. */
class HeapShareTest {

  @Test
  void theHeapIsAShareOfAQuarterWithinBounds() {
    assertEquals(200, HeapShare.megabytes(800L << 20, 1));
    assertEquals(100, HeapShare.megabytes(800L << 20, 2));
    assertEquals(64, HeapShare.megabytes(350L << 20, 8));
    assertEquals(2048, HeapShare.megabytes(512L << 30, 8));
  }

  @Test
  void whatWasChosenWins() {
    assertTrue(HeapShare.chosen(List.of("-ea", "-Xmx8g")));
    assertTrue(HeapShare.chosen(List.of("-XX:MaxRAMPercentage=10")));
    assertFalse(HeapShare.chosen(List.of("-ea", "-Xms1g")));
  }

  @Test
  void everyRankGetsIt() {
    Placement placement = Placement.here(3);
    LaunchPlan plan = LaunchPlan.of(3, "Program", List.of()).withJvmFlags(List.of("-ea"));
    assertTrue(
        words(plan, placement).contains("-Xmx" + here(3) + "m"), words(plan, placement)::toString);
    LaunchPlan chosen = plan.withJvmFlags(List.of("-Xmx128m"));
    assertEquals(1, words(chosen, placement).stream().filter(w -> w.startsWith("-Xmx")).count());
  }

  private static List<String> words(LaunchPlan plan, Placement placement) {
    JobEnvironment job =
        new JobEnvironment(0, 3, placement.meetingPoint(), placement.secret()).on("localhost");
    return new RankCommand(plan, placement, job).words();
  }

  private static long here(int ranks) {
    return HeapShare.megabytes(MachineMemory.bytes(), ranks);
  }

  /** On another host a shell computes it, from the same figures. */
  @Test
  void aShellComputesTheSame() throws Exception {
    for (int ranks : new int[] {1, 5, 40}) {
      Process shell = new ProcessBuilder("sh").start();
      shell.getOutputStream().write((HeapShare.script(ranks) + "echo $heap\n").getBytes(UTF_8));
      shell.getOutputStream().close();
      String heap = new String(shell.getInputStream().readAllBytes(), UTF_8).strip();
      assertEquals(Long.toString(here(ranks)), heap);
    }
  }
}
