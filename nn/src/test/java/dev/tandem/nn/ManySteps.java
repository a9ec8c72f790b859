package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.nn.spec.NetworkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes many steps of every kind and tells by how many MiB the resident memory grew after the first
 * hundred. A JVM of its own with a heap that is all resident from the start shows native memory
 * alone.
 */
final class ManySteps {

  private static final int WARM_UP = 100;

  private ManySteps() {}

  public static void main(String[] arguments) throws IOException {
    int count = Integer.parseInt(arguments[0]);
    NetworkOptions options =
        new NetworkOptions(DType.FLOAT32, NetworkOptions.Precision.valueOf(arguments[1]));
    System.out.println(grown(count, options) >> 20);
  }

  private static long grown(int count, NetworkOptions options) throws IOException {
    NetworkSpec spec = SmallGraph.spec();
    Seed seed = new Seed(3);
    Batches batch = Batches.random(seed, spec, DType.FLOAT32, 16);
    NetworkSpec parts = OneRank.network();
    Batches small = Batches.random(seed, parts, DType.FLOAT32, 16);
    try (Network network = Network.create(Engine.start(1), spec, seed, options);
        Network part = Network.create(Engine.start(1), parts, seed, options);
        Optimizer optimizer =
            new SgdMomentum(network, new SgdMomentum.Settings(0.9, 1e-4, true, 1))) {
      long before = 0;
      for (int step = 0; step < count; step++) {
        if (step == WARM_UP) {
          before = residentBytes();
        }
        TrainingStep plain = TrainingStep.of(seed, step);
        network.forwardBackward(batch.samples(), plain);
        network.forwardBackward(
            List.of(batch.part(0, 8).samples(), batch.part(8, 8).samples()),
            plain.withStatistics(StatisticsReducer.LOCAL));
        optimizer.step(0.001);
        network.evaluate(batch.samples());
        part.forwardBackward(small.samples(), plain);
        try (OpenRun run = part.beginRecomputing(small.samples(), plain)) {
          run.forward();
          run.backward();
        }
        part.evaluate(small.samples());
      }
      return residentBytes() - before;
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
