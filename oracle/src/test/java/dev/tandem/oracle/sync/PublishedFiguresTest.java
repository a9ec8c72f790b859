package dev.tandem.oracle.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The built-in parameters, their noise fitted to the baseline of ResNet50 alone, against what was
 * published for the other policies and networks (thesis, chapter 6.4). What agrees is asserted as
 * the issue asks for it; what does not is asserted as it is, so that nobody takes it for agreement
 * and a change is seen. docs/simulation.md has the whole table.
 */
class PublishedFiguresTest {

  private static final int MOST = 24_576;
  private static final List<Integer> RANKS = List.of(6, 24, 96, 1536, MOST);
  private static final SyncParameters PARAMETERS = SyncParameterFile.builtIn();
  private static final double POINTS = 4;

  /** A miss is known to about this; both policies meet the same noise. */
  private static final double MISS_POINTS = 0.7;

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
            List.of(SimulatedPolicy.BASELINE, SimulatedPolicy.TOPO),
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

  private static SimulatedSync row(String network, SimulatedPolicy policy, int ranks) {
    return rows.stream()
        .filter(row -> row.network().equals(network) && row.ranks() == ranks)
        .filter(row -> row.policy().equals(policy.code()))
        .findFirst()
        .orElseThrow();
  }

  private static SimulatedSync onMost(SimulatedPolicy policy) {
    return row("ResNet50", policy, MOST);
  }

  @Test
  void slowdownAgainstLinearIsThePublishedOne() {
    assertEquals(3.3, onMost(SimulatedPolicy.BASELINE).slowdown(), 0.33);
  }

  /** Published: 10, 16, 18, 21, 23. */
  @Test
  void gainsOfThePoliciesComeInThePublishedOrderButForOnePair() {
    assertTrue(best(SimulatedPolicy.GS) < best(SimulatedPolicy.NBCS));
    assertTrue(best(SimulatedPolicy.NBCS) < best(SimulatedPolicy.SCP));
    assertTrue(best(SimulatedPolicy.SCP) < best(SimulatedPolicy.TOPO));
    assertTrue(best(SimulatedPolicy.SCP) < best(SimulatedPolicy.SCP_TOPO));
    // The pair: 21 and 23 published.
    assertEquals(-0.3, best(SimulatedPolicy.SCP_TOPO) - best(SimulatedPolicy.TOPO), MISS_POINTS);
  }

  /** Best gains over all ranks. */
  @Test
  void gainsThatAgree() {
    assertEquals(10, best(SimulatedPolicy.GS), POINTS);
    assertEquals(16, best(SimulatedPolicy.NBCS), POINTS);
    assertEquals(18, best(SimulatedPolicy.SCP), POINTS);
    assertEquals(21, best(SimulatedPolicy.TOPO), POINTS);
    assertEquals(23, best(SimulatedPolicy.SCP_TOPO), POINTS);
    assertEquals(18, topo("Inception-v3"), POINTS);
    assertEquals(6, topo("VGG16"), POINTS);
  }

  /** Published as gains, simulated as losses. */
  @Test
  void gainsOnTheMostRanksThatDoNotAgree() {
    assertTrue(onMost(SimulatedPolicy.GS).gainPercent() < 0);
    assertTrue(onMost(SimulatedPolicy.NBCS).gainPercent() < 0);
  }

  /** Published, at most: GoogLeNet 35, ResNets 21 down to 5, Inception-v3 18, VGG16 6. */
  @Test
  void gainsOfTheNetworksComeInThePublishedOrder() {
    List<String> falling =
        List.of("GoogLeNet", "ResNet18", "ResNet34", "ResNet50", "Inception-v3", "VGG16");
    for (int i = 1; i < falling.size(); i++) {
      assertTrue(topo(falling.get(i - 1)) > topo(falling.get(i)), falling.get(i));
    }
    assertTrue(topo("ResNet50") > topo("ResNet101"));
    assertTrue(topo("ResNet101") > topo("ResNet152"));
    assertTrue(topo("ResNet152") > topo("VGG16"));
  }

  /** Published: GoogLeNet gains 35, the ResNets at most 21, AlexNet loses 6. */
  @Test
  void gainsOfTheNetworksThatDoNotAgree() {
    assertTrue(topo("GoogLeNet") > 35 + POINTS);
    assertTrue(topo("ResNet18") > 21 + POINTS);
    assertTrue(topo("ResNet34") > 21 + POINTS);
    assertTrue(topo("AlexNet") > 0);
  }

  /** Held out: only ResNet50's window was fitted; these are of the baseline on one node. */
  @Test
  void windowsOfTheOtherNetworksAreThePublishedOnes() {
    assertWindow(0.30, "ResNet101");
    assertWindow(0.23, "ResNet152");
    assertWindow(0.56, "GoogLeNet");
    assertWindow(0.42, "Inception-v3");
    assertWindow(0.32, "VGG16");
  }

  private static void assertWindow(double published, String network) {
    assertEquals(published, row(network, SimulatedPolicy.BASELINE, 6).windowShare(), 0.06, network);
  }

  /** Published: 46% of the time under the baseline, 3.4% under topo, on 24,576 devices. */
  @Test
  void withoutNegotiationResultsHardlyWaitForTheSynchroniser() {
    assertEquals(0.46, onMost(SimulatedPolicy.BASELINE).backgroundShare(), 0.046);
    assertEquals(0.034, onMost(SimulatedPolicy.TOPO).backgroundShare(), 0.007);
    assertTrue(onMost(SimulatedPolicy.TOPO).busyShare() < 0.06);
  }
}
