package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Network;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Training with a split network: steps, checkpoints and evaluation are those of one rank, up to the
 * order in which numbers are added. The ranks are threads; what is compared is what they saved.
 */
class SplitTrainingTest {

  /** Smooth, so that rounding does not become a jump; uneven in every dimension. */
  private static final String SMOOTH =
      """
      network:
        input: [1, 28, 28]
        layers:
          - {name: conv1, type: convolution, filters: 6, kernel: 5, stride: 2, padding: 2, bias: false}
          - {name: norm1, type: batch-norm}
          - {name: gelu1, type: gelu}
          - {name: conv2, type: convolution, filters: 7, kernel: 3, padding: 1}
          - {name: gelu2, type: gelu}
          - {name: pool2, type: average-pool, kernel: 2, stride: 2}
          - {name: flatten, type: flatten}
          - {name: dropout, type: dropout, probability: 0.2}
          - {name: hidden, type: fully-connected, outputs: 13}
          - {name: gelu3, type: gelu}
          - {name: scores, type: fully-connected, outputs: 10}
      data: {train: unused, test: unused, normalise: {mean: 0.158, deviation: 0.211}}
      batch: {global: 32}
      optimizer: {kind: sgd, momentum: 0.9, weight-decay: 5e-4, nesterov: true}
      schedule: {kind: constant, rate: 0.05}
      guard: {clip: 1}
      synchronised-batch-norm: true
      epochs: 9
      steps: 20
      """;

  private static final double NEAR = 1e-3;

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 160);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 51);

  private static TrainingConfig config(String strategy, String... settings) {
    List<String> all = new ArrayList<>(List.of("strategy.mesh='" + strategy + "'"));
    all.addAll(List.of(settings));
    return ConfigFile.parse("test", SMOOTH).with(all).config();
  }

  /** What a run ended with, and its result. */
  private record Ended(TrainingEvent.Result result, List<float[]> tensors) {}

  private Ended train(TrainingConfig config, int ranks, String name, boolean resume)
      throws Exception {
    List<TrainingEvent.Result> results =
        new ThreadRanks(training, test, folder).train(config, ranks, name, resume);
    for (TrainingEvent.Result result : results) {
      assertTrue(result.replicasIdentical());
      assertEquals(results.getFirst().accuracy(), result.accuracy());
      assertEquals(results.getFirst().digest(), result.digest());
    }
    return new Ended(results.getFirst(), saved(config, name));
  }

  /** The parameters and buffers of a run's last checkpoint, opened by one rank. */
  private List<float[]> saved(TrainingConfig config, String name) {
    FolderCheckpointStore store =
        new FolderCheckpointStore(folder.resolve(name), DurableFiles.system());
    try (Network network = ThreadRanks.network(config)) {
      List<TensorView> tensors = new ArrayList<>(network.parameters());
      tensors.addAll(network.buffers());
      store.restore(store.steps().getLast(), StateTree.of(tensors, Map.of()));
      return tensors.stream().map(tensor -> tensor.data().toArray(ValueLayout.JAVA_FLOAT)).toList();
    }
  }

  /** What one rank ends with, which many cases are compared with. */
  private static final Map<List<String>, Ended> ALONE = new ConcurrentHashMap<>();

  private Ended alone(String... settings) throws Exception {
    Ended known = ALONE.get(List.of(settings));
    if (known == null) {
      known = train(config("data", settings), 1, "alone", false);
      ALONE.put(List.of(settings), known);
    }
    return known;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"filter|3", "channel|2", "alternate|2", "spatial|2", "data=2,filter=2|4"})
  void twentyStepsStayNearOneRank(String strategy, int ranks) throws Exception {
    assertNear(alone(), train(config(strategy), ranks, "split", false));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "filter|2",
        "filter|4",
        "channel|3",
        "channel|4",
        "alternate|3",
        "spatial|3",
        "spatial=2x2|4",
        "data=2,channel=2|4",
        "data=2,alternate=2|4",
        "data=2,spatial=2|4",
        "filter=2,spatial=2|4"
      })
  void twentyStepsOfMoreStrategiesStayNearOneRank(String strategy, int ranks) throws Exception {
    twentyStepsStayNearOneRank(strategy, ranks);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "filter=2|strategy.gather=eager",
        "channel=2|strategy.gather=eager",
        "filter=2|strategy.layers={hidden: whole, conv2: channel}",
        "filter=2|strategy.layers={'conv*': data, hidden: filter}",
        "spatial=2|strategy.spatial.aggregate-to=samples",
        "spatial=2|strategy.spatial.aggregate=conv2",
        "filter=2|strategy.input=every",
        "data=2,spatial=2|strategy.gradients=leader"
      })
  void optionsChangeNothing(String mesh, String option) throws Exception {
    int ranks = mesh.startsWith("data") ? 4 : 2;
    assertNear(alone(), train(config(mesh, option), ranks, "split", false));
  }

  /** Normalisations see the samples of a pass, so there must be as many of these. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"filter", "spatial"})
  void passesAddUp(String strategy) throws Exception {
    String passes = "batch.accumulation=3";
    assertNear(alone(passes), train(config(strategy, passes), 2, "split", false));
  }

  /** One norm over all parts: a wrong one changes every step. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"filter|2", "data=2,channel=2|4"})
  void normsAreThoseOfTheWholeNetwork(String strategy, int ranks) throws Exception {
    String[] lars = {"optimizer={kind: lars, trust: 0.02, momentum: 0.9}", "guard.clip=0.3"};
    assertNear(alone(lars), train(config(strategy, lars), ranks, "split", false));
  }

  /** The same strategy twice, and with a stop between: the same bits. */
  @Test
  void goesOnWithTheSameBits() throws Exception {
    Ended whole = train(config("data=2,filter=2"), 4, "whole", false);
    train(config("data=2,filter=2", "steps=9"), 4, "parts", false);
    Ended parts = train(config("data=2,filter=2"), 4, "parts", true);
    assertEquals(whole.result.digest(), parts.result.digest());
  }

  @Test
  void goesOnUnderAnotherStrategy() throws Exception {
    train(config("filter", "steps=9"), 3, "changed", false);
    train(config("data=2,spatial=2", "steps=14"), 4, "changed", true);
    assertNear(alone(), train(config("channel"), 2, "changed", true));
  }

  @Test
  @Tag("slow")
  void everyStrategyGoesOnUnderEveryOther() throws Exception {
    Map<String, Integer> strategies =
        new TreeMap<>(
            Map.of(
                "data", 3,
                "filter", 2,
                "channel", 3,
                "alternate", 2,
                "spatial=2x2", 4,
                "data=2,filter=2", 4));
    Ended alone = alone();
    for (String first : strategies.keySet()) {
      Ended whole = train(config(first), strategies.get(first), "whole of " + first, false);
      for (String then : strategies.keySet()) {
        String name = first + " then " + then;
        train(config(first, "steps=9"), strategies.get(first), name, false);
        Ended end = train(config(then), strategies.get(then), name, true);
        assertNear(alone, end);
        if (first.equals(then)) {
          assertEquals(whole.result.digest(), end.result.digest(), name);
        }
      }
    }
  }

  /** Sums within a group first, then along the tree over samples. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"filter=2|2|4", "spatial=2|4|6"})
  void elasticBitsDoNotDependOnTheNumberOfDataRanks(String inner, int few, int more)
      throws Exception {
    String[] elastic = {"determinism=elastic", "shards=4", "steps=4"};
    Ended one = train(config("data," + inner, elastic), few, "few", false);
    Ended two = train(config("data," + inner, elastic), more, "more", false);
    assertEquals(one.result.digest(), two.result.digest());
  }

  private static void assertNear(Ended expected, Ended actual) {
    assertEquals(expected.tensors.size(), actual.tensors.size());
    for (int i = 0; i < expected.tensors.size(); i++) {
      float[] right = expected.tensors.get(i);
      float[] given = actual.tensors.get(i);
      assertEquals(right.length, given.length);
      double largest = 0;
      double difference = 0;
      for (int j = 0; j < right.length; j++) {
        largest = Math.max(largest, Math.abs(right[j]));
        difference = Math.max(difference, Math.abs(right[j] - given[j]));
      }
      assertTrue(difference <= NEAR * largest, "tensor " + i + ": " + difference / largest);
    }
    assertEquals(expected.result.testLoss(), actual.result.testLoss(), 1e-3);
  }
}
