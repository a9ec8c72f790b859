package dev.tandem.sync.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class NoiseFitTest {

  private static final Seed SEED = new Seed(1);

  private static double distance(SyncParameters parameters) {
    return BaselineFigures.simulated(
            new SyncSimulator(parameters, SEED, NoiseFit.RANK_ITERATIONS),
            parameters.network(BaselineFigures.NETWORK))
        .distance(BaselineFigures.PUBLISHED);
  }

  @Test
  void aFitComesCloserToTheBaselineAndIsRepeatable() {
    SyncParameters builtIn = SyncParameterFile.builtIn();
    ClusterModel cluster = builtIn.cluster();
    ClusterModel.Input brief = new ClusterModel.Input(15, cluster.input().drag());
    SyncParameters off = builtIn.with(cluster.withInput(brief).withCongestion(0.1));
    SyncParameters fitted = new NoiseFit(off, SEED, Progress.SILENT).run(2, 12);
    assertTrue(distance(fitted) < distance(off), distance(fitted) + " after " + distance(off));
    assertEquals(fitted, new NoiseFit(off, SEED, Progress.SILENT).run(2, 12));
  }

  /** What the fit file says of itself. */
  @Test
  void theBuiltInNoiseIsCloseToThePublishedBaseline() {
    SyncParameters builtIn = SyncParameterFile.builtIn();
    BaselineFigures figures =
        BaselineFigures.simulated(
            new SyncSimulator(builtIn, SEED), builtIn.network(BaselineFigures.NETWORK));
    BaselineFigures published = BaselineFigures.PUBLISHED;
    assertEquals(published.slowdown(), figures.slowdown(), 0.1 * published.slowdown());
    assertEquals(published.allreduceShare(), figures.allreduceShare(), 0.03);
    assertEquals(published.backgroundShare(), figures.backgroundShare(), 0.03);
    assertEquals(published.leastBusyShare(), figures.leastBusyShare(), 0.05);
    assertEquals(published.mostBusyShare(), figures.mostBusyShare(), 0.03);
    assertEquals(published.switchesRatio(), figures.switchesRatio(), 0.5);
    assertEquals(published.windowShare(), figures.windowShare(), 0.03);
    figures.line().forEach(ratio -> assertEquals(1, ratio, 0.12));
    assertEquals(published.syntheticGain(), figures.syntheticGain(), 0.03);
  }
}
