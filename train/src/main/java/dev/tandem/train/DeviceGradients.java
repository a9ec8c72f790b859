package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.BucketedSum;
import dev.tandem.comm.device.DeviceMemory;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Network;
import dev.tandem.sync.compress.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sums the gradients of a network on a device, each over the ranks that have other samples for its
 * parameter. Neighbours in memory travel together, several megabytes at a time, while the backward
 * pass goes on. All ranks start and close theirs at the same time.
 */
final class DeviceGradients implements GradientSums {

  /** Bytes of the memory of all gradients. */
  private record Range(long from, long length) {}

  private final DeviceMemory row;
  private final List<BucketedSum> all = new ArrayList<>();
  private final Map<String, BucketedSum> byParameter = new HashMap<>();
  private final Map<String, Range> ranges = new HashMap<>();
  private final BatchStatistics statistics;
  private long handedOver;

  /** Starts the sums of a network on a device. */
  DeviceGradients(StepContext context) {
    Network network = context.network();
    RankGroups groups = context.groups();
    row = network.gradientRow().orElseThrow();
    statistics = new BatchStatistics(groups, Map.of());
    List<TensorView> gradients = network.gradients();
    for (int i = 0; i < gradients.size(); i++) {
      long from = network.gradientOffset(i);
      ranges.put(gradients.get(i).name(), new Range(from, gradients.get(i).byteSize()));
    }
    Map<String, Set<String>> axes = new TreeMap<>(); // in the same order on all ranks
    Map<String, List<String>> parameters = new HashMap<>();
    for (GradientGraph.Parameter parameter : network.gradientGraph().parameters()) {
      Set<String> along = groups.sumAxes(parameter.name());
      if (!along.isEmpty()) {
        String key = groups.mesh().sorted(along).toString();
        axes.put(key, along);
        parameters.computeIfAbsent(key, _ -> new ArrayList<>()).add(parameter.name());
      }
    }
    axes.forEach(
        (key, along) -> {
          Communicator ranks = groups.gradients(along);
          if (ranks.size() > 1) {
            BucketedSum group = new BucketedSum(ranks, row);
            all.add(group);
            parameters.get(key).forEach(name -> byParameter.put(name, group));
          }
        });
  }

  @Override
  public BatchStatistics statistics() {
    return statistics;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    if (weight != 1) {
      throw new IllegalArgumentException("gradients are parts of one mean");
    }
    BucketedSum group = byParameter.get(gradient.name());
    if (group != null) {
      Range range = ranges.get(gradient.name());
      group.add(range.from(), range.length());
      handedOver += gradient.byteSize();
    }
  }

  @Override
  public void await() {
    all.forEach(BucketedSum::await);
  }

  @Override
  public Volume volume() {
    return new Volume(handedOver, handedOver);
  }

  @Override
  public void close() {
    all.reversed().forEach(BucketedSum::close);
    row.close();
  }
}
