package dev.tandem.cli;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.data.order.Steps;
import dev.tandem.data.reuse.ReuseOrder;
import dev.tandem.data.reuse.ReusePlan;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How samples that are in memory are used again. */
final class ReuseOptions {

  @Option(
      names = "--reuse",
      paramLabel = "STEPS:LEVEL,...",
      description =
          "Hold the samples of N steps and serve them once more for every level, recomposed"
              + " within it: process, node, switch, rack or machine.")
  private String reuse;

  @Option(
      names = "--cluster-map",
      paramLabel = "FILE",
      description =
          "For --reuse: a file with one line HOST switch=NAME rack=NAME per host. Default: all at"
              + " one switch.")
  private Path clusterMap;

  /** The order under reuse among the ranks of a job, if reuse is asked for. */
  Optional<ReuseOrder> order(Steps steps, Communicator communicator) {
    if (reuse == null) {
      return Optional.empty();
    }
    ClusterMap map = clusterMap == null ? ClusterMap.flat() : ClusterMap.read(clusterMap);
    RankPlaces places = new RankPlaces(communicator.topology().names(), map);
    return Optional.of(new ReuseOrder(steps, ReusePlan.parse(reuse), places));
  }
}
