package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows whose two values are known linear functions of their three numbers. */
class RegressionTest {

  private static final String CONFIG =
      """
      network: {model: mlp, inputs: 3, hidden: [], outputs: 2}
      data:
        train: unused
        test: unused
        records: arrays
        normalise: none
        normalise-targets: {mean: [100, 0], deviation: [30, 0.01]}
      loss: mean-squared-error
      batch: {global: 20}
      schedule: {kind: cosine, rate: 0.1}
      optimizer: {momentum: 0.9}
      validation: {batch: 37}
      epochs: 8
      """;

  @TempDir Path folder;

  private record Rows(long seed, long size) implements RecordSource {

    @Override
    public DataRecord record(long ordinal) {
      SplittableRandom random = new Seed(seed).derive(ordinal).random();
      float[] x = new float[3];
      for (int i = 0; i < x.length; i++) {
        x[i] = (float) random.nextDouble(-2, 2);
      }
      float first = 100 + 20 * x[0] - 10 * x[1] + 5 * x[2];
      float second = 0.01f * x[2] - 0.02f * x[0];
      byte[] record = ArrayRecord.of(List.of(3), x, -1, first, second).encode();
      return new DataRecord(MemorySegment.NULL, MemorySegment.ofArray(record));
    }

    @Override
    public void close() {}
  }

  private static TrainingConfig config(String... settings) {
    return ConfigFile.parse("test", CONFIG).with(List.of(settings)).config();
  }

  private ThreadRanks ranks() {
    return new ThreadRanks(new Rows(1, 400), new Rows(2, 100), folder);
  }

  @Test
  void convergesToTheFunctionOnAnyNumberOfRanks() throws Exception {
    ThreadRanks one = ranks();
    TrainingEvent.Result alone = one.train(config(), 1, "one", false).getFirst();
    List<float[]> parameters = List.copyOf(one.parameters);
    assertTrue(alone.regression().r2() > 0.9999, () -> "" + alone.regression());
    // In the units of the targets: half of it is the first one's.
    assertTrue(alone.regression().mae() < 0.2, () -> "" + alone.regression());
    assertTrue(Double.isNaN(alone.accuracy()));
    assertEquals(alone.testLoss(), alone.bestLoss(), alone.testLoss());
    // Output 1 is (target - 100) / 30: its weights are 20/30, -10/30 and 5/30.
    assertEquals(2 / 3.0, parameters.getFirst()[0], 1e-3);
    assertEquals(-1 / 3.0, parameters.getFirst()[1], 1e-3);

    ThreadRanks two = ranks();
    TrainingEvent.Result both = two.train(config(), 2, "two", false).getFirst();
    assertEquals(alone.regression().mse(), both.regression().mse(), 1e-4);
    for (int i = 0; i < parameters.size(); i++) {
      for (int j = 0; j < parameters.get(i).length; j++) {
        assertEquals(parameters.get(i)[j], two.parameters.get(i)[j], 1e-5);
      }
    }
  }

  @Test
  void elasticHasTheSameBitsAndResumes() throws Exception {
    String rate = "schedule={kind: constant, rate: 0.05}";
    String[] elastic = {"determinism=elastic", "shards=4", rate};
    TrainingEvent.Result one = ranks().train(config(elastic), 1, "e1", false).getFirst();
    ThreadRanks three = ranks();
    String[] half = {"determinism=elastic", "shards=4", "steps=70", rate};
    three.train(config(half), 3, "e3", false);
    TrainingEvent.Result resumed = three.train(config(elastic), 2, "e3", true).getFirst();
    assertEquals(one.digest(), resumed.digest());
    assertEquals(one.regression(), resumed.regression());
    assertEquals(one.testLoss(), resumed.testLoss());
  }

  @Test
  void theLowestLossIsTheBestAndEndsTheRun() throws Exception {
    // Without learning there is no gain after the first validation.
    TrainingConfig still =
        config("schedule={kind: constant, rate: 1e-12}", "validation.patience=2");
    TrainingEvent.Result result = ranks().train(still, 1, "still", false).getFirst();
    assertTrue(result.stoppedEarly());
    assertTrue(result.steps() < 8 * 20, () -> "" + result.steps());
  }
}
