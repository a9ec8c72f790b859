package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.DeviceMemory;
import dev.tandem.comm.device.DeviceSum;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Network;
import dev.tandem.sync.compress.Volume;
import java.util.ArrayList;
import java.util.Comparator;
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

  /** Bytes that are worth a transfer. */
  private static final long ENOUGH = 4L << 20;

  /** Wider gaps between gradients are not alignment. */
  private static final long GAP_BYTES = 64;

  /** Bytes of the memory of all gradients. */
  private record Range(long from, long to) {}

  /** The ranks that sum some of the gradients. */
  private static final class Group {
    private final DeviceSum sum;
    private final List<Range> ready = new ArrayList<>();
    private long bytes;

    Group(DeviceSum sum) {
      this.sum = sum;
    }

    void add(Range range) {
      ready.add(range);
      bytes += range.to - range.from;
      if (bytes >= ENOUGH) {
        flush();
      }
    }

    void flush() {
      ready.sort(Comparator.comparingLong(Range::from));
      Range joined = null;
      for (Range range : ready) {
        if (joined != null && range.from - joined.to < GAP_BYTES) {
          joined = new Range(joined.from, range.to);
        } else {
          submit(joined);
          joined = range;
        }
      }
      submit(joined);
      ready.clear();
      bytes = 0;
    }

    private void submit(Range range) {
      if (range != null) {
        sum.submit(range.from, range.to - range.from);
      }
    }
  }

  private final DeviceMemory row;
  private final List<Group> all = new ArrayList<>();
  private final Map<String, Group> byParameter = new HashMap<>();
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
      ranges.put(gradients.get(i).name(), new Range(from, from + gradients.get(i).byteSize()));
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
            Group group = new Group(new DeviceSum(ranks, row));
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
    Group group = byParameter.get(gradient.name());
    if (group != null) {
      group.add(ranges.get(gradient.name()));
      handedOver += gradient.byteSize();
    }
  }

  @Override
  public void await() {
    all.forEach(Group::flush);
    all.forEach(group -> group.sum.await());
  }

  @Override
  public Volume volume() {
    return new Volume(handedOver, handedOver);
  }

  @Override
  public void close() {
    all.reversed().forEach(group -> group.sum.close());
    row.close();
  }
}
