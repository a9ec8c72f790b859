package dev.tandem.spark;

import dev.tandem.tune.task.SharedEngine;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskEngineContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** What every engine does, on a Master and two Workers. */
@Tag("slow")
class SparkEngineTest extends TaskEngineContract {

  private static SparkCluster cluster;
  private static SparkEngine engine;

  @BeforeAll
  static void start(@TempDir Path work) throws Exception {
    cluster = SparkCluster.start(work, 2, 2);
    engine = cluster.engine(2);
  }

  @AfterAll
  static void stop() {
    try {
      if (engine != null) {
        engine.close();
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  @Override
  protected Duration patience() {
    return Duration.ofMinutes(3);
  }

  @Override
  protected TaskEngine engine() {
    return new SharedEngine(engine);
  }
}
