package dev.tandem.train;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.plan.TrainingGraph;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sums the statistics of synchronised batch normalisations over the ranks that have other samples:
 * in the place that a plan of the step has for them, or else past all gradients, in a group of
 * their own.
 *
 * @param planned by layer, those whose plans have places for its statistics
 */
record BatchStatistics(RankGroups groups, Map<String, GradientSynchronizer> planned) {

  /** The sums of one of the passes of a step, the first of them 0, if there are any. */
  Optional<StatisticsReducer> ofPass(int pass) {
    if (!groups.sumsStatistics()) {
      return Optional.empty();
    }
    Set<String> forward = new HashSet<>();
    return Optional.of(
        (layer, parts, total) -> {
          StatisticsReducer.LOCAL.sum(layer, parts, total);
          if (planned.containsKey(layer)) {
            String name =
                forward.add(layer)
                    ? TrainingGraph.forwardStatistics(layer, pass)
                    : TrainingGraph.backwardStatistics(layer, pass);
            planned.get(layer).sum(row(name, total));
          } else {
            groups.statistics().allreduce(total, DType.FLOAT64, ReduceOp.SUM);
          }
        });
  }

  private static TensorView row(String name, MemorySegment data) {
    Shape shape = Shape.of(data.byteSize() / DType.FLOAT64.bytes());
    return new TensorView(name, DType.FLOAT64, shape, data);
  }
}
