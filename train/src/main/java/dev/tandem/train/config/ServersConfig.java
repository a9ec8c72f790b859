package dev.tandem.train.config;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.servers.NumaPlaces;
import dev.tandem.servers.ServerLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Parameter servers instead of allreduce.
 *
 * @param staleness steps that a rank may be ahead of the slowest
 * @param proxies levels at which proxies stand between workers and servers, nearest first, as
 *     {@link Level} names them; {@code numa} alone for one a NUMA node
 * @param clusterMap the file that says which host is where; empty if all are at one switch
 * @param ranks the first N ranks hold a shard of the parameters each; 0 for all
 * @param compensate whether servers use less momentum and weigh late gradients less where staleness
 *     is above 0, so that a rate that trains without staleness trains with it
 */
public record ServersConfig(
    @Default("2") int staleness,
    @Default("[]") List<String> proxies,
    @Default("") String clusterMap,
    @Default("0") int ranks,
    @Default("true") boolean compensate) {

  /** The word for proxies below the level of nodes. */
  private static final String NUMA = "numa";

  public ServersConfig {
    Require.atLeast("staleness", 0, staleness);
    Require.atLeast("ranks", 0, ranks);
    clusterMap = Require.absolute(clusterMap);
    proxies = List.copyOf(proxies);
    if (!numa(proxies)) {
      levels(proxies);
    }
  }

  private static boolean numa(List<String> proxies) {
    return proxies.equals(List.of(NUMA));
  }

  private static List<Level> levels(List<String> words) {
    return words.stream().map(ServersConfig::level).toList();
  }

  private static Level level(String word) {
    return Arrays.stream(Level.values())
        .filter(level -> level != Level.PROCESS && RecordYaml.word(level).equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "proxies has '%s', expected numa alone, or of node, switch, rack, machine"
                        .formatted(word)));
  }

  /** Refuses what servers cannot do. */
  void check(
      DeterminismConfig determinism,
      OptimizerConfig optimizer,
      BatchConfig batch,
      GradientsConfig gradients) {
    if (determinism.level() != DeterminismConfig.Level.FAST) {
      throw new UsageException(
          "servers: training with parameter servers cannot be repeated bit by bit, but determinism"
              + " is %s: set determinism: fast".formatted(RecordYaml.word(determinism.level())));
    }
    if (!(optimizer instanceof OptimizerConfig.Sgd)) {
      throw new UsageException(
          "servers: parameter servers know the optimizer sgd alone: set optimizer.kind: sgd");
    }
    if (determinism.synchronisedBatchNorm()) {
      throw new UsageException(
          "servers: synchronised-batch-norm makes ranks wait for each other in every layer, which"
              + " servers are to avoid: set it to false");
    }
    if (!gradients.rule().plain()) {
      throw new UsageException(
          "servers: gradients go to parameter servers as they are: leave gradients.compression and"
              + " gradients.reduction out");
    }
    if (batch.grow().isPresent()) {
      throw new UsageException(
          "servers: batch.grow needs the loss of all ranks after every step: leave it out");
    }
  }

  /** Who does what; all ranks call this together. */
  public ServerLayout layout(Communicator communicator) {
    boolean numa = numa(proxies);
    ClusterMap map =
        clusterMap.isEmpty() ? ClusterMap.flat() : ClusterMap.read(Path.of(clusterMap));
    RankPlaces places =
        numa ? NumaPlaces.of(communicator) : new RankPlaces(communicator.topology().names(), map);
    int holders = ranks == 0 ? communicator.size() : Math.min(ranks, communicator.size());
    return ServerLayout.beside(places)
        .withServers(IntStream.range(0, holders).boxed().toList())
        .withProxies(numa ? List.of(Level.NODE) : levels(proxies));
  }
}
