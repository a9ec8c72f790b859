package dev.tandem.sync.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The built-in parameters, fitted to the baseline of ResNet50 alone, against what was published for
 * the other policies and networks (thesis, chapter 6.4). What agrees is asserted as the issue asks
 * for it; what does not is asserted as it is, so that nobody takes it for agreement and a change is
 * seen. docs/synchronisation-simulator.md has the whole table.
 */
class PublishedFiguresTest {

  private static final int MOST = 24_576;
  private static final List<Integer> RANKS = List.of(6, 96, 1536, MOST);
  private static final SyncParameters PARAMETERS = SyncParameterFile.builtIn();
  private static final double POINTS = 4;

  /** A miss is known to about this. */
  private static final double MISS_POINTS = 2;

  private static List<SimulatedSync> rows;

  @BeforeAll
  static void simulate() {
    SyncSimulator simulator = new SyncSimulator(PARAMETERS, new Seed(1), 400_000);
    rows =
        new ArrayList<>(
            simulator.table(
                List.of(PARAMETERS.network("ResNet50")),
                RANKS,
                List.of(SimulatedPolicy.values()),
                Scaling.WEAK,
                Progress.SILENT));
    rows.addAll(
        simulator.table(
            PARAMETERS.networks().stream()
                .filter(network -> !network.name().equals("ResNet50"))
                .toList(),
            RANKS,
            List.of(SimulatedPolicy.TOPO),
            Scaling.WEAK,
            Progress.SILENT));
  }

  private static double best(String network, SimulatedPolicy policy) {
    return rows.stream()
        .filter(row -> row.network().equals(network) && row.policy().equals(policy.code()))
        .mapToDouble(SimulatedSync::gainPercent)
        .max()
        .orElseThrow();
  }

  private static double best(SimulatedPolicy policy) {
    return best("ResNet50", policy);
  }

  private static double topo(String network) {
    return best(network, SimulatedPolicy.TOPO);
  }

  private static SimulatedSync onMost(SimulatedPolicy policy) {
    return rows.stream()
        .filter(row -> row.network().equals("ResNet50") && row.ranks() == MOST)
        .filter(row -> row.policy().equals(policy.code()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void slowdownAgainstLinearIsThePublishedOne() {
    assertEquals(3.3, onMost(SimulatedPolicy.BASELINE).slowdown(), 0.33);
  }

  @Test
  void gainsOfThePoliciesComeInThePublishedOrder() {
    assertTrue(best(SimulatedPolicy.GS) < best(SimulatedPolicy.NBCS));
    assertTrue(best(SimulatedPolicy.NBCS) < best(SimulatedPolicy.SCP));
    assertTrue(best(SimulatedPolicy.SCP) < best(SimulatedPolicy.TOPO));
    // Published 21 and 23; simulated the same, for the thread wakes after the window.
    assertEquals(best(SimulatedPolicy.TOPO), best(SimulatedPolicy.SCP_TOPO), 0.5);
  }

  @Test
  void gainsThatAgree() {
    assertEquals(10, best(SimulatedPolicy.GS), POINTS);
    // On the most ranks alone, what was published as the best gain of all.
    assertEquals(18, onMost(SimulatedPolicy.SCP).gainPercent(), POINTS);
    assertEquals(21, onMost(SimulatedPolicy.TOPO).gainPercent(), POINTS);
    assertEquals(23, onMost(SimulatedPolicy.SCP_TOPO).gainPercent(), POINTS);
  }

  /** Best gains over all ranks: published 16, 18, 21 and 23. */
  @Test
  void gainsThatDoNotAgree() {
    assertEquals(27.4, best(SimulatedPolicy.NBCS), MISS_POINTS);
    assertEquals(27.7, best(SimulatedPolicy.SCP), MISS_POINTS);
    assertEquals(36.3, best(SimulatedPolicy.TOPO), MISS_POINTS);
    assertEquals(36.3, best(SimulatedPolicy.SCP_TOPO), MISS_POINTS);
    // Published as gains, simulated as losses on the most ranks.
    assertTrue(onMost(SimulatedPolicy.GS).gainPercent() < 0);
    assertTrue(onMost(SimulatedPolicy.NBCS).gainPercent() < 0);
  }

  /** Published, at most: GoogLeNet 35, ResNets 21 down to 5, Inception-v3 18, VGG16 6. */
  @Test
  void gainsOfTheNetworksComeInThePublishedOrder() {
    assertTrue(topo("GoogLeNet") > topo("ResNet50"));
    assertTrue(topo("ResNet50") > topo("Inception-v3"));
    assertTrue(topo("ResNet50") > topo("ResNet101"));
    assertTrue(topo("ResNet101") > topo("ResNet152"));
    assertTrue(topo("Inception-v3") > topo("VGG16"));
  }

  /** Published: GoogLeNet gains most, AlexNet loses 6%. */
  @Test
  void gainsOfTheNetworksThatDoNotAgree() {
    assertTrue(topo("ResNet18") > topo("GoogLeNet"));
    assertTrue(topo("AlexNet") > 0);
  }

  /** Published: 46% of the time under the baseline, 3.4% under topo, on 24,576 devices. */
  @Test
  void withoutNegotiationResultsHardlyWaitForTheSynchroniser() {
    assertEquals(0.46, onMost(SimulatedPolicy.BASELINE).backgroundShare(), 0.046);
    assertTrue(onMost(SimulatedPolicy.TOPO).backgroundShare() < 0.034);
    assertTrue(onMost(SimulatedPolicy.TOPO).busyShare() < 0.06);
  }
}
