package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Parameter servers with the settings of examples/glyphs.yaml and data of its size are as good as
 * allreduce, whatever the staleness; the ranks are threads, more than there are cores.
 */
@Tag("slow") // Trains for minutes.
class StaleGlyphsTest {

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 20_000);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 4_000);

  private double accuracy(int ranks, String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of("batch.global=128", "schedule.warmup-steps=157"));
    all.addAll(List.of(settings));
    TrainingConfig config = TestConfigs.digits(all.toArray(String[]::new));
    String name = "run-%d-%d".formatted(ranks, all.hashCode());
    double accuracy =
        new ThreadRanks(training, test, folder)
            .train(config, ranks, name, false)
            .getFirst()
            .accuracy();
    System.out.printf("%d ranks, %s: accuracy %.4f%n", ranks, List.of(settings), accuracy);
    return accuracy;
  }

  private static String staleness(int steps) {
    return "servers.staleness=" + steps;
  }

  @Test
  void withinAPointOfAllreduce() throws Exception {
    double allreduce = accuracy(2, "epochs=5");
    for (int steps : new int[] {0, 2, 8}) {
      for (int ranks : new int[] {2, 4}) {
        double served = accuracy(ranks, "epochs=5", "determinism=fast", staleness(steps));
        assertTrue(served > allreduce - 0.01, "served %s, not %s".formatted(served, allreduce));
      }
    }
  }

  /** Without clipping, at twice the rate: synchronous training is near its limit there. */
  @Test
  void aHighRateTrainsToo() throws Exception {
    String[] high = {"epochs=2", "schedule.rate=0.1", "guard.clip=0"};
    double allreduce = accuracy(2, high);
    List<String> stale = new ArrayList<>(List.of(high));
    stale.addAll(List.of("determinism=fast", staleness(2)));
    double served = accuracy(2, stale.toArray(String[]::new));
    assertTrue(served > allreduce - 0.03, "served %s, not %s".formatted(served, allreduce));
  }
}
