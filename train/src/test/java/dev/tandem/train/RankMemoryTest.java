package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.train.config.TrainingConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankMemoryTest {

  @ParameterizedTest
  @ValueSource(strings = {"sgd", "adam", "adamw", "rmsprop", "adagrad", "lars", "lamb"})
  void isWhatTheOptimizerKeeps(String kind) {
    TrainingConfig config =
        TestConfigs.normalised(
            "optimizer={kind: " + kind + "}", "batch={global: 50, accumulation: 2}");
    List<LayerCost> layers = LayerCost.of(config.network(), Set.of());
    RankMemory memory = RankMemory.of(config, layers, 2);
    try (Network network =
            Network.create(
                config.startEngine(1, 0), config.network(), new Seed(1), config.networkOptions());
        Optimizer optimizer = config.optimizer().create(network)) {
      assertEquals(
          optimizer.stateTree(Map.of()).byteSize() - Long.BYTES, // less the number of steps
          memory.parameters() + memory.optimizer());
    }
    assertEquals(13, memory.samples());
  }
}
