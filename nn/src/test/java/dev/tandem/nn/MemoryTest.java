package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.nn.spec.NetworkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class MemoryTest {

  private static final int WARM_UP = 100;

  @Test
  void fiveHundredStepsKeepMemoryFlat() throws IOException {
    steps(500, NetworkOptions.DEFAULT);
    steps(500, NetworkOptions.DEFAULT.withBackward(NetworkOptions.Backward.WHOLE_GRAPH));
  }

  @Test
  @Tag("slow")
  void tenThousandStepsKeepMemoryFlat() throws IOException {
    steps(10_000, NetworkOptions.DEFAULT);
    steps(10_000, NetworkOptions.DEFAULT.withPrecision(NetworkOptions.Precision.MIXED));
  }

  private static void steps(int count, NetworkOptions options) throws IOException {
    NetworkSpec spec = SmallGraph.spec();
    Seed seed = new Seed(3);
    Batches batch = Batches.random(seed, spec, DType.FLOAT32, 64);
    boolean layerwise = options.backward() == NetworkOptions.Backward.LAYERWISE;
    try (Network network = Network.create(Engine.start(1), spec, seed, options);
        Optimizer optimizer =
            new SgdMomentum(network, new SgdMomentum.Settings(0.9, 1e-4, true, 1))) {
      long before = 0;
      for (int step = 0; step < count; step++) {
        if (step == WARM_UP) {
          before = residentBytes();
        }
        TrainingStep plain = TrainingStep.of(seed, step);
        network.forwardBackward(batch.samples(), plain);
        if (layerwise) {
          network.forwardBackward(
              List.of(batch.part(0, 32).samples(), batch.part(32, 32).samples()),
              plain.withStatistics(StatisticsReducer.LOCAL));
        }
        optimizer.step(0.001);
        network.evaluate(batch.samples());
      }
      // The activations of one step take about 5 MiB: a leak of them would be gigabytes.
      long grown = residentBytes() - before;
      assertTrue(grown < 64L << 20, "grew by " + (grown >> 20) + " MiB");
    }
  }

  private static long residentBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .sum()
        << 10;
  }
}
