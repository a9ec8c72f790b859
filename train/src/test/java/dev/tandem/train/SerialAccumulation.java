package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * What level elastic promises to equal, written down without ranks, communicators or the trainer:
 * one process goes through the micro-batches of each step and adds their gradients along the
 * canonical tree.
 */
final class SerialAccumulation {

  private final TrainingConfig config;
  private final int shards;
  private final boolean synchronised;

  SerialAccumulation(TrainingConfig config) {
    this.config = config;
    shards = config.determinism().shards();
    synchronised = config.determinism().synchronisedBatchNorm();
  }

  /** Trains and gives the digest of parameters, buffers and optimizer state. */
  String digest(RecordSource source) {
    Steps steps = BatchFeed.steps(config, source, config.batch().global());
    long count = steps.stepsFor(config.epochs());
    Rates rates = new Rates(config, steps, 1);
    try (Network network = ThreadRanks.network(config);
        Optimizer optimizer = config.optimizer().create(network);
        Loader loader =
            new Loader(
                source,
                steps,
                config.trainingPreparation(),
                Plan.alone(count),
                config.data().loader())) {
      while (loader.hasNext()) {
        Batch batch = loader.next();
        step(network, batch);
        Gradients.clip(network, config.guard().clip());
        optimizer.step(rates.at(batch.position(), config.batch().global()));
      }
      return HexFormat.of().formatHex(Replicas.digest(optimizer.stateTree(Map.of())));
    }
  }

  private void step(Network network, Batch batch) {
    List<Samples> pieces = new ArrayList<>();
    List<Integer> firsts = new ArrayList<>();
    long imageBytes = batch.images().byteSize() / batch.count();
    for (int shard = 0; shard < shards; shard++) {
      int from = batch.count() * shard / shards;
      int end = batch.count() * (shard + 1) / shards;
      firsts.add(from);
      pieces.add(
          end == from
              ? null
              : new Samples(
                  batch.images().asSlice(from * imageBytes, (end - from) * imageBytes),
                  batch.labels().asSlice(from * 8L, (end - from) * 8L),
                  end - from));
    }
    TrainingStep training =
        TrainingStep.of(new Seed(config.seed()).derive("dropout"), batch.position().step())
            .withMeanOver(batch.globalCount());
    List<float[][]> gradients = new ArrayList<>();
    List<float[][]> buffers = new ArrayList<>();
    if (synchronised) {
      StatisticsReducer reducer =
          (layer, parts, total) -> {
            double[][] rows =
                parts.stream()
                    .map(part -> part.toArray(ValueLayout.JAVA_DOUBLE))
                    .toArray(double[][]::new);
            MemorySegment.copy(
                MemorySegment.ofArray(sum(rows, 0, rows.length)), 0, total, 0, total.byteSize());
          };
      network.forwardBackward(pieces, training.withStatistics(reducer));
      for (int shard = 0; shard < shards; shard++) {
        gradients.add(rows(network.gradients(shard), 1));
      }
    } else {
      float[][] before = rows(network.buffers(), 1);
      for (int shard = 0; shard < shards; shard++) {
        write(before, network.buffers());
        if (pieces.get(shard) == null) {
          gradients.add(rows(network.gradients(), 0));
        } else {
          network.forwardBackward(pieces.get(shard), training.withFirstSample(firsts.get(shard)));
          gradients.add(rows(network.gradients(), 1));
        }
        buffers.add(rows(network.buffers(), 1));
      }
      float[][] sums = sumAll(buffers);
      for (float[] row : sums) {
        for (int i = 0; i < row.length; i++) {
          row[i] /= shards;
        }
      }
      write(sums, network.buffers());
    }
    write(sumAll(gradients), network.gradients());
  }

  private static float[][] rows(List<TensorView> tensors, float weight) {
    return tensors.stream()
        .map(
            tensor -> {
              float[] row = tensor.data().toArray(ValueLayout.JAVA_FLOAT);
              for (int i = 0; i < row.length; i++) {
                row[i] *= weight;
              }
              return row;
            })
        .toArray(float[][]::new);
  }

  private static void write(float[][] rows, List<TensorView> tensors) {
    for (int i = 0; i < rows.length; i++) {
      tensors.get(i).data().copyFrom(MemorySegment.ofArray(rows[i]));
    }
  }

  private static float[][] sumAll(List<float[][]> shards) {
    float[][] sums = new float[shards.getFirst().length][];
    for (int tensor = 0; tensor < sums.length; tensor++) {
      int own = tensor;
      float[][] rows = shards.stream().map(each -> each[own]).toArray(float[][]::new);
      sums[tensor] = sum(rows, 0, rows.length);
    }
    return sums;
  }

  /** The tree splits at the largest power of two below the number of leaves. */
  private static float[] sum(float[][] rows, int from, int end) {
    if (end - from == 1) {
      return Arrays.copyOf(rows[from], rows[from].length);
    }
    int middle = from + Integer.highestOneBit(end - from - 1);
    float[] left = sum(rows, from, middle);
    float[] right = sum(rows, middle, end);
    for (int i = 0; i < left.length; i++) {
      left[i] += right[i];
    }
    return left;
  }

  private static double[] sum(double[][] rows, int from, int end) {
    if (end - from == 1) {
      return Arrays.copyOf(rows[from], rows[from].length);
    }
    int middle = from + Integer.highestOneBit(end - from - 1);
    double[] left = sum(rows, from, middle);
    double[] right = sum(rows, middle, end);
    for (int i = 0; i < left.length; i++) {
      left[i] += right[i];
    }
    return left;
  }
}
