package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the ranks of a training run send in a step is what its plan says, byte by byte. */
class StepTrafficTest {

  private static final int STEPS = 2;

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 400);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 8);

  private static TrainingConfig config(String strategy, String settings, int steps) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "strategy.mesh='" + strategy + "'",
                "batch.global=24",
                "synchronisation=topo", // agrees on nothing in a step
                "checkpoint.every-steps=1000",
                "steps=" + steps));
    if (settings != null) {
      all.addAll(List.of(settings.split(" (?=[a-z.-]+=)")));
    }
    return TestConfigs.normalised(all.toArray(String[]::new));
  }

  /** Of each rank in a run of so many steps, with what comes before and after them. */
  private Map<Integer, Traffic> sent(TrainingConfig config, int ranks) throws Exception {
    ThreadRanks run = new ThreadRanks(training, test, folder).keepingNothing().stoppable();
    run.train(config, ranks, "run-" + config.mostSteps(), false);
    return new HashMap<>(run.traffic);
  }

  /** The synchroniser's own: 24 bytes ahead of each transfer, and alignment between gradients. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "data|2||232|", // 1 transfer
        "channel|3|optimizer={kind: lars}|0|",
        "spatial|2|strategy.input=every|200|", // 1 transfer
        "data=2,alternate=2|4|synchronised-batch-norm=true|344|", // 4 of statistics, 3 of gradients
        "data,pipeline=2|4|strategy.pipeline={micro-batches: 2, cuts: [conv2]}|120|88",
        "sharded|2||0|",
        "data|3|strategy.shard=optimizer optimizer={kind: lamb}|232|",
      })
  void stepsSendWhatThePlanSays(
      String strategy, int ranks, String settings, long own, Long ownOfLast) throws Exception {
    check(strategy, ranks, settings, own, ownOfLast == null ? own : ownOfLast);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "filter|2||0",
        "filter|3|strategy.gather=eager|0",
        "pipeline|2|strategy.pipeline={micro-batches: 3, cuts: [conv2]}|0",
        "data|2|strategy.shard=gradients|0",
        "sharded,channel=2|4||0",
      })
  void moreStrategies(String strategy, int ranks, String settings, long own) throws Exception {
    check(strategy, ranks, settings, own, own);
  }

  private void check(String strategy, int ranks, String settings, long own, long ownOfLast)
      throws Exception {
    Map<Integer, Traffic> some = sent(config(strategy, settings, STEPS), ranks);
    Map<Integer, Traffic> more = sent(config(strategy, settings, 2 * STEPS), ranks);
    for (int rank = 0; rank < ranks; rank++) {
      long counted = more.get(rank).since(some.get(rank)).bytesSent();
      long planned =
          PlannedRank.of(config(strategy, settings, STEPS), ranks, rank).sent().bytesSent();
      long besides = rank < ranks / 2 ? own : ownOfLast;
      assertEquals(STEPS * (planned + besides), counted, "rank " + rank);
    }
  }
}
