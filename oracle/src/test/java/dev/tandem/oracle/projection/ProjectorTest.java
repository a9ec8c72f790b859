package dev.tandem.oracle.projection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.ClusterFile;
import dev.tandem.oracle.cluster.Link;
import dev.tandem.oracle.collective.Group;
import dev.tandem.oracle.collective.LinkCollectives;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mesh.Axis;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.strategy.Strategy;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Projections against the equations of the published model, worked out here. */
class ProjectorTest {

  private static final double NEAR = 1e-9;
  private static final RateSeconds DEVICE = new RateSeconds(1e-9, 1e-10);
  private static final Cluster ABCI = ClusterFile.read("abci");
  private static final NetworkSpec RESNET = ResNet.spec(50, 1000);

  private static Mesh mesh(Object... axes) {
    Axis[] all = new Axis[axes.length / 2];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Axis((String) axes[2 * i], (Integer) axes[2 * i + 1]);
    }
    return new Mesh(List.of(all));
  }

  private static Projection project(NetworkSpec network, int batch, Set<Term> terms, Mesh mesh) {
    return project(network, batch, terms, Candidate.of(mesh));
  }

  private static Projection project(
      NetworkSpec network, int batch, Set<Term> terms, Candidate candidate) {
    Cluster cluster = ABCI.withDevices(Math.max(8, candidate.ranks()));
    return new Projector(
            Workload.of(network, 1000L * batch, batch),
            Environment.of(cluster, DEVICE, terms, 1),
            terms)
        .project(candidate);
  }

  private static double ring(int ranks, double bytes) {
    Link link = ABCI.link(ranks);
    return (ranks - 1) * (link.latencySeconds() + bytes / ranks / link.bytesPerSecond());
  }

  @Test
  void oneDeviceTakesItsLayersAndTheUpdate() {
    Projection one = project(RESNET, 32, Term.PUBLISHED, mesh());
    double update = RESNET.parameterCount() * 4 * 1e-10;
    assertEquals(32 * DEVICE.sample(RESNET) + update, one.iteration(), NEAR);
    assertEquals(update, one.part(Phase.Part.UPDATE), NEAR);
    assertEquals(0, one.communication(), NEAR);
    assertEquals(1000 * one.iteration(), one.epoch(), 1e-6);
    assertEquals(0.1, one.spread() * one.iteration() / (32 * DEVICE.sample(RESNET)), 1e-6);
  }

  /** Equations 4.1 and 4.4. */
  @Test
  void dataParallelRanksShareSamplesAndSumAllGradients() {
    Projection data = project(RESNET, 128, Term.PUBLISHED, mesh("data", 16));
    assertEquals(
        2 * ring(16, RESNET.parameterCount() * 4.0), data.seconds().get(Phase.GRADIENTS), NEAR);
    double passes = data.seconds().get(Phase.FORWARD) + data.seconds().get(Phase.BACKWARD);
    assertEquals(8 * DEVICE.sample(RESNET), passes, NEAR);
  }

  @Test
  void gradientsTravelDuringTheBackwardPass() {
    Set<Term> overlapping = EnumSet.copyOf(Term.PUBLISHED);
    overlapping.add(Term.OVERLAP);
    double hidden =
        project(RESNET, 512, overlapping, mesh("data", 16)).seconds().get(Phase.GRADIENTS);
    double shown =
        project(RESNET, 512, Term.PUBLISHED, mesh("data", 16)).seconds().get(Phase.GRADIENTS);
    assertTrue(hidden < shown / 2 && hidden > 0, hidden + " of " + shown);
  }

  /** Equation 4.16: what is split takes its share, what every rank has whole all of its time. */
  @Test
  void filtersDivideTheWorkOfLayersWithWeights() {
    NetworkSpec network =
        NetworkSpec.of(
            Shape.of(4, 8, 8),
            new Convolution("conv", 16, 3, 1, 1),
            Activation.relu("relu"),
            new Convolution("next", 16, 3, 1, 1),
            GlobalPool.average("mean"),
            new FullyConnected("fc", 8));
    Candidate eager = Candidate.of(mesh("filter", 4)).with(Strategy.USUAL.eagerly());
    Projection filter = project(network, 32, Term.PUBLISHED, eager);
    double outputs = 1024 / 4.0 + 1024 + 1024 / 4.0 + 16 + 8 / 4.0;
    assertEquals(32 * 1e-9 * outputs, filter.seconds().get(Phase.FORWARD), NEAR);
    Set<Term> divided = EnumSet.copyOf(Term.PUBLISHED);
    divided.remove(Term.REPLICATED_LAYERS);
    assertEquals(
        32 * 1e-9 * (1024 * 2 + 1024 + 16 + 8) / 4,
        project(network, 32, divided, eager).seconds().get(Phase.FORWARD),
        NEAR);
    Set<Term> kernels = EnumSet.copyOf(Term.PUBLISHED);
    kernels.add(Term.SPLIT_KERNELS);
    assertEquals(
        filter.seconds().get(Phase.FORWARD),
        project(network, 32, kernels, eager).seconds().get(Phase.FORWARD),
        NEAR);
  }

  /** Stages that take as long each: equation 4.10 with its update once for each iteration. */
  @Test
  void equalStagesWaitForOneAnother() {
    double[] forward = {1, 1, 1, 1};
    double[] backward = {2, 2, 2, 2};
    double[] messages = new double[4];
    assertEquals(
        (8 + 3) * 3, PipelineTime.of(new Schedule.Gpipe(), forward, backward, messages, 8), NEAR);
    assertEquals(
        (8 + 3) * 3,
        PipelineTime.of(new Schedule.OneForwardOneBackward(), forward, backward, messages, 8),
        NEAR);
    assertEquals(
        4 * 3, PipelineTime.of(new Schedule.Sequential(), forward, backward, messages, 1), NEAR);
    double[] slow = {0.5, 0.5, 0.5, 0};
    assertEquals(
        (8 + 3) * 3 + 2 * 1.5,
        PipelineTime.of(new Schedule.Gpipe(), forward, backward, slow, 8),
        NEAR);
  }

  @Test
  void aPipelineIsAsFastAsItsSlowestStageWithIdleTime() {
    Candidate.Stages stages = new Candidate.Stages(new Schedule.Gpipe(), 8, false);
    Projection two =
        project(RESNET, 64, Term.PUBLISHED, Candidate.of(mesh("pipeline", 2)).with(stages));
    double serial = 64 * DEVICE.sample(RESNET);
    double busy = two.seconds().get(Phase.FORWARD) + two.seconds().get(Phase.BACKWARD);
    assertTrue(busy >= serial / 2 - NEAR && busy < serial * 0.6, busy + " of " + serial);
    double idle = two.seconds().get(Phase.IDLE) / busy;
    assertTrue(idle > 0.05 && idle < 0.3, "idle " + idle);
    Projection recomputed =
        project(
            RESNET,
            64,
            Term.PUBLISHED,
            Candidate.of(mesh("pipeline", 2))
                .with(new Candidate.Stages(new Schedule.Gpipe(), 8, true)));
    assertTrue(recomputed.iteration() > two.iteration());
    assertTrue(
        recomputed.memory().activationBytes() < two.memory().activationBytes(),
        recomputed.memory().activationBytes() + " " + two.memory().activationBytes());
  }

  /** Gathers of inputs, reduce-scatters of their gradients: no sums of gradients. */
  @Test
  void filterSendsActivationsInsteadOfGradients() {
    Projection filter = project(CaffeCifar.spec(10), 64, Term.PUBLISHED, mesh("filter", 4));
    assertEquals(0, filter.seconds().get(Phase.GRADIENTS), NEAR);
    assertTrue(filter.seconds().get(Phase.EXCHANGE) > 0);
    Projection hybrid =
        project(CaffeCifar.spec(10), 128, Term.PUBLISHED, mesh("data", 2, "filter", 4));
    assertEquals(filter.seconds().get(Phase.EXCHANGE), hybrid.seconds().get(Phase.EXCHANGE), NEAR);
    assertTrue(hybrid.seconds().get(Phase.GRADIENTS) > 0);
    assertTrue(
        hybrid.memory().parameters()
            < project(CaffeCifar.spec(10), 64, Term.ALL, mesh("data", 2)).memory().parameters());
  }

  @Test
  void rowsOfParametersTakeLessMemoryAndMoreTraffic() {
    Candidate data = Candidate.of(mesh("data", 8));
    Projection copies = project(RESNET, 64, Term.ALL, data);
    Projection rows = project(RESNET, 64, Term.ALL, data.sharding(ShardStage.PARAMETERS));
    assertTrue(rows.memory().state() * 7 < copies.memory().state());
    Candidate four = Candidate.of(mesh("data", 4));
    assertEquals(1.5, (double) sent(four.sharding(ShardStage.PARAMETERS)) / sent(four), 0.02);
    assertTrue(rows.seconds().get(Phase.UPDATE) < copies.seconds().get(Phase.UPDATE) / 7);
  }

  private static long sent(Candidate candidate) {
    Environment environment = Environment.of(ABCI.withDevices(8), DEVICE, Term.ALL, 1);
    return new Projector(Workload.of(RESNET, 1000, 64), environment, Term.ALL)
        .traffic(candidate)
        .total()
        .bytesSent();
  }

  @Test
  void trafficIsThatOfTheRankThatSendsMost() {
    long weights = RESNET.parameterCount() * 4;
    assertEquals(1.5, (double) sent(Candidate.of(mesh("data", 4))) / weights, 0.02);
    assertTrue(sent(Candidate.of(mesh("pipeline", 4))) > 0);
    long rows = sent(Candidate.of(mesh("height", 4)));
    // Both halos of a rank in the middle, and the gradients of what is split.
    assertTrue(rows > 2 * weights * 3 / 4, rows + " bytes");
  }

  @Test
  void inferenceIsTheForwardPass() {
    Workload workload = Workload.of(RESNET, 1000, 32);
    Workload inference = new Workload(RESNET, 1000, 32, DType.FLOAT32, 1, Set.of(), false, true);
    Environment environment = Environment.of(ABCI, DEVICE, Term.PUBLISHED, 1);
    Projection forward =
        new Projector(inference, environment, Term.PUBLISHED)
            .project(Candidate.of(mesh("data", 4)));
    Projection both =
        new Projector(workload, environment, Term.PUBLISHED).project(Candidate.of(mesh("data", 4)));
    assertEquals(both.seconds().get(Phase.FORWARD), forward.iteration(), NEAR);
  }

  @Test
  void everyTermCanBeLeftOut() {
    Projection all = project(RESNET, 64, Term.ALL, mesh("data", 4, "height", 2));
    for (Term term : Term.values()) {
      Set<Term> fewer = EnumSet.copyOf(Term.ALL);
      fewer.remove(term);
      Projection without = project(RESNET, 64, fewer, mesh("data", 4, "height", 2));
      assertTrue(Double.isFinite(without.iteration()), term.word());
      if (Set.of(Term.UPDATE, Term.COPIES, Term.STATISTICS).contains(term)) {
        assertTrue(without.iteration() < all.iteration(), term.word());
      }
    }
  }

  @Test
  void flowsOfANodeShareItsNetworkCards() {
    Map<Boolean, Double> gradients = new HashMap<>();
    for (boolean contended : new boolean[] {false, true}) {
      Set<Term> terms = EnumSet.copyOf(Term.PUBLISHED);
      if (!contended) {
        terms.remove(Term.CONTENTION);
      }
      gradients.put(
          contended,
          project(RESNET, 256, terms, mesh("data", 16, "filter", 4))
              .seconds()
              .get(Phase.GRADIENTS));
    }
    assertTrue(gradients.get(true) > gradients.get(false));
  }

  @Test
  void levelsAndTreesBeatTheRingForManyDevices() {
    Cluster large = ABCI.withDevices(1024);
    Group all = new Group(1024, 1, 1);
    double ring =
        new LinkCollectives(large, false, 1, false).of(Operation.ALLREDUCE, all, 1 << 20, 1);
    double best =
        new LinkCollectives(large, true, 1, false).of(Operation.ALLREDUCE, all, 1 << 20, 1);
    assertTrue(best < ring / 4, best + " of " + ring);
  }
}
