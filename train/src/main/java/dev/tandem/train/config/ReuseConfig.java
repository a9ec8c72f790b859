package dev.tandem.train.config;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.Steps;
import dev.tandem.data.reuse.ReuseOrder;
import dev.tandem.data.reuse.ReusePlan;
import dev.tandem.nn.yaml.Default;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Samples that are served several times before others are read. An epoch reads every sample once
 * and serves it once and then once more for each of the passes.
 *
 * @param steps steps whose samples are kept in memory
 * @param passes one for each time that they are served again: how far apart the processes may be
 *     that exchange samples for it
 * @param clusterMap the file that says which host is where; empty if all are at one switch
 */
public record ReuseConfig(
    @Default("8") int steps,
    @Default("[process]") List<Level> passes,
    @Default("") String clusterMap) {

  public ReuseConfig {
    passes = List.copyOf(passes);
    clusterMap = Require.absolute(clusterMap);
    new ReusePlan(steps, passes); // checks
  }

  /** Refuses what does not go together with reuse. */
  static void check(
      boolean reuse,
      BatchConfig batch,
      DeterminismConfig determinism,
      Optional<ServersConfig> servers) {
    if (!reuse) {
      if (batch.sawTooth()) {
        throw new UsageException(
            "batch.saw-tooth is true, but it follows the passes of data.reuse: set data.reuse");
      }
      return;
    }
    if (determinism.elastic()) {
      throw new UsageException(
          "data.reuse composes batches from what each rank holds, but determinism: elastic is the"
              + " same for any number of ranks: use determinism: run");
    }
    if (servers.isPresent()) {
      throw new UsageException(
          "data.reuse exchanges samples between ranks in step, but with servers: each has its own"
              + " pace: leave one of them out");
    }
    if (batch.grow().isPresent()) {
      throw new UsageException(
          "batch.grow changes the batch within a round of data.reuse: leave one of them out, or set"
              + " batch.saw-tooth");
    }
  }

  /** The order in which the ranks serve samples. */
  public ReuseOrder order(Steps fresh, Communicator communicator, boolean sawTooth) {
    ClusterMap map =
        clusterMap.isEmpty() ? ClusterMap.flat() : ClusterMap.read(Path.of(clusterMap));
    RankPlaces places = new RankPlaces(communicator.topology().names(), map);
    return new ReuseOrder(fresh, new ReusePlan(steps, passes, sawTooth), places);
  }
}
