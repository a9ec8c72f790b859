package dev.tandem.oracle.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What must hold whatever the numbers are: limits, monotony, determinism. */
class SyncSimulatorTest {

  private static final SyncParameters BUILT_IN = SyncParameterFile.builtIn();
  private static final NetworkProfile NETWORK = BUILT_IN.network("ResNet50");
  private static final List<SimulatedPolicy> ALL = List.of(SimulatedPolicy.values());
  private static final int ITERATIONS = 100_000;

  @TempDir private Path folder;

  private static SyncSimulator simulator(SyncParameters parameters) {
    return new SyncSimulator(parameters, new Seed(1), ITERATIONS);
  }

  private static SimulatedSync run(SyncParameters parameters, SimulatedPolicy policy, int ranks) {
    return simulator(parameters)
        .compare(NETWORK, ranks, List.of(policy), Scaling.WEAK, false)
        .getFirst();
  }

  /** Cores of its own for every component: one, two and four of seven. */
  private SyncParameters threeSets() throws IOException {
    return SyncParameterFile.read(
        Files.writeString(folder.resolve("cores.properties"), "cluster.engineCores = 2"));
  }

  private static SyncParameters withInput(SyncParameters parameters, ClusterModel.Input input) {
    return parameters.with(parameters.cluster().withInput(input));
  }

  /** A network without cost on a machine without noise. */
  private static SyncParameters ideal() {
    ClusterModel own = BUILT_IN.cluster();
    return BUILT_IN
        .with(SchedulingNoise.NONE)
        .with(
            new ClusterModel(
                own.engine(),
                new ClusterModel.Input(1, 0),
                own.cores(),
                new ClusterModel.Protocol(
                    own.protocol().cycleMillis(),
                    own.protocol().fusionBytes(),
                    0,
                    own.protocol().requestMicros(),
                    0,
                    own.protocol().napMicros(),
                    own.protocol().testMicros()),
                new ClusterModel.Links(own.links().nodeRanks(), 0, 1e18, 0, 1e18, 0, 1e18)));
  }

  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void withoutNoiseOnAFreeNetworkScalingIsLinear(SimulatedPolicy policy) {
    SimulatedSync one = run(ideal(), policy, 1);
    SimulatedSync many = run(ideal(), policy, 1536);
    // Tests of a nonblocking collective come at chance moments within a nap, here 0.1 of 50 ms.
    assertEquals(one.iterationMillis(), many.iterationMillis(), 0.003 * one.iterationMillis());
    assertTrue(many.slowdown() < 1.003, "slowdown " + many.slowdown());
  }

  @Test
  void aPlanLosesNothingWhereNothingIsLate() {
    SimulatedSync planned = run(ideal(), SimulatedPolicy.TOPO, 96);
    double requests = NETWORK.tensors() * BUILT_IN.cluster().protocol().requestMicros() / 1e3;
    assertEquals(
        BUILT_IN.cluster().engine().computeMillis() + requests, planned.iterationMillis(), 1e-6);
  }

  @Test
  void aNegotiationLosesLessThanACycleWhereNothingIsLate() {
    SimulatedSync negotiated = run(ideal(), SimulatedPolicy.BASELINE, 96);
    double lost = negotiated.iterationMillis() - BUILT_IN.cluster().engine().computeMillis();
    assertTrue(lost > 0 && lost < 2 * BUILT_IN.cluster().protocol().cycleMillis(), "lost " + lost);
  }

  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void oneRankTransfersAndWaitsForNothing(SimulatedPolicy policy) {
    SimulatedSync one = run(BUILT_IN, policy, 1);
    assertEquals(0, one.copyShare());
    assertEquals(0, one.transferShare(), 1e-9);
  }

  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void longerHoldsNeverMakeItFaster(SimulatedPolicy policy) {
    double before = 0;
    for (double factor : new double[] {0, 0.5, 1, 2, 4}) {
      SchedulingNoise own = BUILT_IN.noise();
      SchedulingNoise noise =
          new SchedulingNoise(
              own.timerSlackMicros(),
              own.holdMillis() * factor,
              own.takeoverMillis(),
              own.heldShare(),
              own.heldShareInWindow(),
              own.preemptionsPerThousandNodes(),
              own.stallsPerSecond(),
              own.jitter());
      double millis = run(BUILT_IN.with(noise), policy, 1536).iterationMillis();
      assertTrue(millis >= before, "holds times " + factor + ": " + millis + " after " + before);
      before = millis;
    }
  }

  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void sharesAddUpToTheIterationUnlessInputIsLate(SimulatedPolicy policy) {
    SimulatedSync row = run(BUILT_IN, policy, 6144);
    double sum = row.computeShare() + row.backgroundShare() + row.copyShare() + row.transferShare();
    assertEquals(1, sum, 1e-6);
    // A spin that ends in the first iteration that counts may have begun before it.
    assertTrue(row.busyShare() >= 0 && row.busyShare() < 1.01, "busy " + row.busyShare());
  }

  /** Who is late once sleeps ever after, and the others spin. */
  @Test
  void lateOncePassesFromCycleToCycleAndThroughTransfers() {
    SimulatedSync negotiated = run(BUILT_IN, SimulatedPolicy.BASELINE, 1536);
    // All but the last spin all the time; in the window they have half of a core.
    assertEquals(1 - negotiated.windowShare() / 2, negotiated.busyShare(), 0.05);
    assertTrue(run(ideal(), SimulatedPolicy.BASELINE, 1536).busyShare() < 0.01);
  }

  /** The engine wakes at the beginning of a pass, just when the input pipeline takes the cores. */
  @Test
  void onlyCoresOfItsOwnLetTheEngineWakeInTime() throws IOException {
    // Whoever wakes in the window finds its core held, and nobody else does.
    SchedulingNoise held = new SchedulingNoise(0, 5, 1, 0, 1, 0, 0, 0);
    for (SyncParameters divided : List.of(BUILT_IN, threeSets())) {
      SyncParameters parameters =
          withInput(divided, new ClusterModel.Input(divided.cluster().input().millis(), 0))
              .with(held);
      boolean engineHasItsOwn = divided.cluster().cores().engine() > 0;
      double pass = divided.cluster().engine().computeMillis();
      SimulatedSync topo = run(parameters, SimulatedPolicy.TOPO, 96);
      assertEquals(pass + 5, topo.computeShare() * topo.iterationMillis(), 0.5);
      SimulatedSync scp = run(parameters, SimulatedPolicy.SCP_TOPO, 96);
      assertEquals(
          engineHasItsOwn ? pass : pass + 5, scp.computeShare() * scp.iterationMillis(), 0.5);
      assertEquals(0, topo.engineWaits(), "to wake late is no involuntary switch");
    }
  }

  /** A rank alone, so that nothing else takes time. */
  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void inputSlowsTheEngineDownWhicheverCoresItHas(SimulatedPolicy policy) {
    SyncParameters still = BUILT_IN.with(SchedulingNoise.NONE);
    double input = 20;
    double drag = 0.25;
    SyncParameters dragged = withInput(still, new ClusterModel.Input(input, drag));
    SimulatedSync row = run(dragged, policy, 1);
    assertEquals(
        still.cluster().engine().computeMillis() + input * drag / (1 + drag),
        row.computeShare() * row.iterationMillis(),
        1e-6);
  }

  /** A pass so short that input is busy still when it is over, and a transfer that outlasts it. */
  @ParameterizedTest
  @EnumSource(SimulatedPolicy.class)
  void inputSlowsCopiesAndTransfersDownWhileItIsBusy(SimulatedPolicy policy) {
    NetworkProfile brief = new NetworkProfile("brief", 1_000_000_000, 1, 0.1, NETWORK.nodes());
    int ranks = 6;
    double input = 40;
    double drag = 0.25;
    ClusterModel cluster = BUILT_IN.cluster().withInput(new ClusterModel.Input(input, drag));
    SimulatedSync row =
        simulator(BUILT_IN.with(SchedulingNoise.NONE).with(cluster))
            .compare(brief, ranks, List.of(policy), Scaling.WEAK, false)
            .getFirst();
    double window = policy.partitions() ? input * 7 / 6 : input;
    double lost = drag / (1 + drag) * input / window;
    double bytes = brief.gradientBytes();
    double work =
        cluster.engine().computeMillis() * brief.relativeCompute()
            + cluster.links().copyMillis(bytes, ranks)
            + cluster.transferMillis(bytes, new TeamPosition(0, ranks, false));
    // The device works all the time but when it waits for the synchroniser.
    double idle = row.backgroundShare() * row.iterationMillis();
    assertEquals(idle + work + (window - idle) * lost, row.iterationMillis(), 1e-6);
  }

  @Test
  void whoDispatchesLessIsPreemptedLess() {
    NetworkProfile few =
        new NetworkProfile(
            "few",
            NETWORK.parameters(),
            NETWORK.tensors(),
            NETWORK.relativeCompute(),
            NETWORK.nodes() / 4);
    SyncParameters noStalls = BUILT_IN.with(new SchedulingNoise(50, 5, 2, 0.1, 0.1, 0.1, 0, 0));
    double waits = baseline(noStalls, NETWORK).engineWaits();
    assertTrue(waits > 0.1, "waits " + waits);
    assertEquals(waits / 4, baseline(noStalls, few).engineWaits(), 0.15 * waits / 4);
  }

  private static SimulatedSync baseline(SyncParameters parameters, NetworkProfile network) {
    return simulator(parameters)
        .compare(network, 1536, List.of(SimulatedPolicy.BASELINE), Scaling.WEAK, false)
        .getFirst();
  }

  @Test
  void aNodeMovesBytesFasterThanTheNetworkAndWithoutCongestion() {
    ClusterModel own = BUILT_IN.cluster();
    double bytes = 1e9;
    int ranks = own.links().nodeRanks();
    double node = own.transferMillis(bytes, new TeamPosition(0, ranks, false));
    double expected = 2 * bytes * (ranks - 1) / ranks / own.links().nodeBandwidth();
    assertEquals(1e3 * expected, node, 0.02 * node);
    assertTrue(own.transferMillis(bytes, new TeamPosition(0, 2 * ranks, false)) > 2 * node);
  }

  @Test
  void inputThatIsTooSlowSetsThePace() throws IOException {
    ClusterModel.Input tooSlow = new ClusterModel.Input(600, BUILT_IN.cluster().input().drag());
    SyncParameters slow = withInput(BUILT_IN, tooSlow);
    assertEquals(600, run(slow, SimulatedPolicy.BASELINE, 96).iterationMillis(), 1e-6);
    // With a core for the synchroniser the input pipeline has six of seven.
    assertEquals(700, run(slow, SimulatedPolicy.SCP, 96).iterationMillis(), 1e-6);
    SyncParameters four = withInput(threeSets(), tooSlow);
    assertEquals(1050, run(four, SimulatedPolicy.SCP, 96).iterationMillis(), 1e-6);
  }

  @Test
  void strongScalingDividesTheSamples() {
    SimulatedSync row =
        simulator(BUILT_IN)
            .compare(NETWORK, 1536, List.of(SimulatedPolicy.TOPO), Scaling.STRONG, false)
            .getFirst();
    assertEquals(16, row.batch());
  }

  @Test
  void sameSeedSameTableWhateverElseIsSimulated() {
    List<NetworkProfile> networks = List.of(NETWORK, BUILT_IN.network("VGG16"));
    List<Integer> ranks = List.of(6, 96);
    List<SimulatedSync> table = few(1).table(networks, ranks, ALL, Scaling.WEAK, Progress.SILENT);
    assertEquals(table, few(1).table(networks, ranks, ALL, Scaling.WEAK, Progress.SILENT));
    List<SimulatedSync> part =
        few(1).table(List.of(NETWORK), List.of(96), ALL, Scaling.WEAK, Progress.SILENT);
    assertEquals(
        part,
        table.stream()
            .filter(row -> row.network().equals(NETWORK.name()) && row.ranks() == 96)
            .toList());
    assertNotEquals(
        part, few(2).table(List.of(NETWORK), List.of(96), ALL, Scaling.WEAK, Progress.SILENT));
  }

  /** Of so few iterations that figures say little, which are compared with themselves alone. */
  private static SyncSimulator few(long seed) {
    return new SyncSimulator(BUILT_IN, new Seed(seed), ITERATIONS / 10);
  }
}
