package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Network;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of gradients that a result reports, against closed forms; the ranks are threads. */
class GradientBytesTest {

  private static final int STEPS = 3;

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 200);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 20);
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  private List<TrainingEvent.Result> train(String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("steps=" + STEPS);
    TrainingConfig config = TestConfigs.digits(all.toArray(String[]::new));
    return new ThreadRanks(training, test, folder)
        .observing(
            event ->
                Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .forEach(threads::add))
        .train(config, 2, "run", false);
  }

  private static long parameterBytes() {
    try (Network network = ThreadRanks.network(TestConfigs.digits())) {
      return network.parameters().stream().mapToLong(TensorView::byteSize).sum();
    }
  }

  private long synchronizerThreads() {
    return threads.stream().filter(name -> name.startsWith("tandem-sync-")).count();
  }

  @Test
  void dataParallelRanksHandOverEachGradientOncePerStep() throws Exception {
    for (TrainingEvent.Result result : train("gradients.compression=none")) {
      assertEquals(STEPS * parameterBytes(), result.gradientBytes());
      assertEquals(result.gradientBytes(), result.payloadBytes());
    }
    assertEquals(2, synchronizerThreads());
  }

  @Test
  void halfTheBytesTravelAsBfloat16() throws Exception {
    for (TrainingEvent.Result result : train("gradients={compression: bfloat16, smallest: 0}")) {
      assertEquals(STEPS * parameterBytes(), result.gradientBytes());
      assertEquals(result.gradientBytes(), 2 * result.payloadBytes());
    }
  }

  /** 5 shards: rank 0 has 3 of them, rank 1 has 2. */
  @Test
  void elasticRanksHandOverTheGradientsOfTheirShards() throws Exception {
    List<TrainingEvent.Result> results = train("determinism=elastic", "shards=5");
    assertEquals(3 * STEPS * parameterBytes(), results.get(0).gradientBytes());
    assertEquals(2 * STEPS * parameterBytes(), results.get(1).gradientBytes());
    assertEquals(results.get(0).gradientBytes(), results.get(0).payloadBytes());
    assertEquals(0, synchronizerThreads());
  }

  @Test
  void servedRanksSendTheirGradientsOncePerStep() throws Exception {
    for (TrainingEvent.Result result : train("determinism=fast", "servers.staleness=0")) {
      assertEquals(STEPS * parameterBytes(), result.gradientBytes());
      assertEquals(result.gradientBytes(), result.payloadBytes());
    }
    assertEquals(0, synchronizerThreads());
  }
}
