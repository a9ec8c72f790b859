package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example of a strategy trains, with its ranks as threads, as one rank alone does. */
class StrategyExamplesTest {

  private static final Pattern RANKS = Pattern.compile("strategy-.*\\.yaml -n (\\d+)");

  @TempDir Path folder;

  static List<Path> examples() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("..", "examples"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("strategy-"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void trains(Path example) throws Exception {
    Matcher ranks = RANKS.matcher(Files.readString(example));
    assertTrue(ranks.find(), "the example says with how many ranks");
    Seed seed = TestSeed.of(StrategyExamplesTest.class);
    ThreadRanks threads =
        new ThreadRanks(
            GlyphRecords.draw(seed.derive("train"), 20),
            GlyphRecords.draw(seed.derive("test"), 10),
            folder);
    TrainingConfig config = config(example);
    TrainingEvent.Result one =
        threads.train(config(example, "strategy=data"), 1, "one", false).getFirst();
    for (TrainingEvent.Result result :
        threads.train(config, Integer.parseInt(ranks.group(1)), "split", false)) {
      assertEquals(2, result.steps());
      assertTrue(result.replicasIdentical());
      assertEquals(one.testLoss(), result.testLoss(), 1e-3 * one.testLoss());
    }
  }

  private static TrainingConfig config(Path example, String... settings) {
    return ConfigFile.read(example)
        .with(
            List.of(
                "data={train: unused, test: unused, normalise: {mean: 0.158, deviation: 0.211}}",
                "batch.global=10",
                "schedule={kind: constant, rate: 0.05}",
                "epochs=1"))
        .with(List.of(settings))
        .config();
  }
}
