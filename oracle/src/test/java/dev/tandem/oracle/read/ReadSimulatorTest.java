package dev.tandem.oracle.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The simulator against what the thesis measured (chapters 3 to 5, microbenchmarks on Bebop). */
class ReadSimulatorTest {

  private static final int PER_NODE = 36;

  private static Map<SimulatedMode, SimulatedRead> simulate(
      SimulatedWorkload workload, int processes) {
    List<SimulatedRead> results =
        new ReadSimulator(Calibration.THESIS, PER_NODE, new Seed(1)).run(workload, processes);
    Map<SimulatedMode, SimulatedRead> byMode = new EnumMap<>(SimulatedMode.class);
    results.forEach(
        result ->
            byMode.put(SimulatedMode.valueOf(result.mode().toUpperCase(Locale.ROOT)), result));
    return byMode;
  }

  /** Within a factor of two on either side. */
  private static void assertRoughly(double thesis, SimulatedRead result) {
    assertTrue(
        result.speedup() > thesis / 2 && result.speedup() < thesis * 2,
        result.mode() + ": thesis " + thesis + ", simulated " + result.speedup());
  }

  @Test
  void speedupsOfTheModesAt4608ReadersAreRoughlyTheThesis() {
    Map<SimulatedMode, SimulatedRead> cifar = simulate(SimulatedWorkload.CIFAR, 4608);
    assertRoughly(6.7, cifar.get(SimulatedMode.DM));
    assertRoughly(17.18, cifar.get(SimulatedMode.DIO));
    assertRoughly(19.44, cifar.get(SimulatedMode.PROV));
    assertRoughly(21.86, cifar.get(SimulatedMode.COAL));
    assertRoughly(81.05, cifar.get(SimulatedMode.STAG));
  }

  @Test
  void modesComeInTheOrderOfTheThesisAt4608Readers() {
    Map<SimulatedMode, SimulatedRead> cifar = simulate(SimulatedWorkload.CIFAR, 4608);
    List<SimulatedMode> order =
        List.of(
            SimulatedMode.LMM,
            SimulatedMode.DM,
            SimulatedMode.DIO,
            SimulatedMode.PROV,
            SimulatedMode.COAL,
            SimulatedMode.STAG);
    for (int i = 1; i < order.size(); i++) {
      double before = cifar.get(order.get(i - 1)).speedup();
      double after = cifar.get(order.get(i)).speedup();
      assertTrue(before < after, order.get(i) + ": " + after + " after " + before);
    }
  }

  /** Chapter 3.4.1: up to 43.77 times up to 1,152 cores, none beyond. */
  @Test
  void localMappingPaysOnFewNodesAndNotOnMany() {
    assertTrue(simulate(SimulatedWorkload.CIFAR, 36).get(SimulatedMode.LMM).speedup() > 10);
    assertEquals(1, simulate(SimulatedWorkload.CIFAR, 9216).get(SimulatedMode.LMM).speedup(), 0.3);
  }

  /** Chapter 4.3.1: on a single node dm does not beat lmm. */
  @Test
  void distributedMappingDoesNotPayOnOneNode() {
    Map<SimulatedMode, SimulatedRead> one = simulate(SimulatedWorkload.CIFAR, 36);
    assertTrue(one.get(SimulatedMode.DM).seconds() >= one.get(SimulatedMode.LMM).seconds());
  }

  /** Chapter 5.3.2: on ImageNet coal falls behind without stag, which is the best. */
  @Test
  void coalescingFallsBehindOnLargeRecordsUntilStaggered() {
    Map<SimulatedMode, SimulatedRead> imageNet = simulate(SimulatedWorkload.IMAGENET, 9216);
    double coalesced = imageNet.get(SimulatedMode.COAL).speedup();
    assertTrue(coalesced < imageNet.get(SimulatedMode.PROV).speedup());
    double staggered = imageNet.get(SimulatedMode.STAG).speedup();
    imageNet.values().forEach(other -> assertTrue(staggered >= other.speedup(), other::toString));
  }

  /** Chapter 4.3.1: nearly 60% of lmm's time is seeking, under 1% of dm's. */
  @Test
  void seekingIsMostOfLocalMappingAndLittleOfDistributed() {
    Map<SimulatedMode, SimulatedRead> cifar = simulate(SimulatedWorkload.CIFAR, 4608);
    SimulatedRead local = cifar.get(SimulatedMode.LMM);
    assertTrue(local.seekSeconds() > local.seconds() / 2);
    SimulatedRead distributed = cifar.get(SimulatedMode.DM);
    assertTrue(distributed.seekSeconds() < distributed.seconds() * 0.05);
  }

  @Test
  void theSameSeedGivesTheSameResults() {
    ReadSimulator simulator = new ReadSimulator(Calibration.THESIS, PER_NODE, new Seed(7));
    List<SimulatedRead> first = simulator.run(SimulatedWorkload.CIFAR, 144);
    assertEquals(first, simulator.run(SimulatedWorkload.CIFAR, 144));
    assertTrue(first.stream().allMatch(SimulatedRead::simulated));
  }

  @Test
  void everyNeededByteIsReadOnceByTheIndex() {
    for (int processes : new int[] {1, 36, 1152, 9216}) {
      Map<SimulatedMode, SimulatedRead> cifar = simulate(SimulatedWorkload.CIFAR, processes);
      for (SimulatedMode mode : List.of(SimulatedMode.PROV, SimulatedMode.COAL)) {
        SimulatedRead indexed = cifar.get(mode);
        // The last round of several may be cut short, yet counts as one.
        assertEquals(indexed.bytesNeeded(), indexed.bytesRead(), indexed.bytesNeeded() * 0.1);
      }
    }
  }
}
