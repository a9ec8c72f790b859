package dev.tandem.parallel.stage;

import dev.tandem.core.TensorView;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.OpenRun;
import dev.tandem.nn.Samples;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Forward passes whose activations are not kept but computed again. What the stage has received and
 * the statistics that were summed over ranks are kept: so the second pass has the same bits and
 * sends no messages to other stages or data ranks; running statistics change in the first alone.
 */
final class Repetition implements AutoCloseable {

  private final Network network;
  private final StageGroups groups;
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> buffers = new ArrayList<>();
  private final Map<Integer, Kept> pieces = new HashMap<>();

  /** What a piece needs to be computed again. */
  private record Kept(List<MemorySegment> received, KeptStatistics statistics) {}

  Repetition(Network network, StageGroups groups) {
    this.network = network;
    this.groups = groups;
    for (TensorView buffer : network.buffers()) {
      buffers.add(arena.allocate(buffer.byteSize(), Double.BYTES));
    }
  }

  /** The forward pass of a piece; its loss. */
  double first(int piece, Samples samples, TrainingStep step) {
    KeptStatistics statistics = new KeptStatistics(step.statistics());
    groups.before().ifPresent(StageTransfer::keep);
    try (OpenRun run = network.begin(samples, statistics.in(step))) {
      return run.forward()[0];
    } finally {
      List<MemorySegment> received = groups.before().map(StageTransfer::kept).orElse(List.of());
      pieces.put(piece, new Kept(received, statistics));
    }
  }

  /** The same pass again, ready for the backward pass; the caller closes it. */
  OpenRun again(int piece, Samples samples, TrainingStep step) {
    Kept kept = pieces.remove(piece);
    kept.statistics.repeat();
    copyBuffers(true);
    groups.before().ifPresent(before -> before.repeat(kept.received));
    groups.after().ifPresent(after -> after.repeat(List.of()));
    OpenRun run =
        network.begin(
            samples, kept.statistics.in(step.withListener(new GradientsOnly(step.ready()))));
    try {
      run.forward();
    } catch (RuntimeException e) {
      run.close();
      throw e;
    } finally {
      groups.before().ifPresent(StageTransfer::repeated);
      groups.after().ifPresent(StageTransfer::repeated);
      copyBuffers(false);
    }
    kept.statistics.repeated();
    return run;
  }

  private void copyBuffers(boolean save) {
    for (int i = 0; i < buffers.size(); i++) {
      MemorySegment live = network.buffers().get(i).data();
      (save ? buffers.get(i) : live).copyFrom(save ? live : buffers.get(i));
    }
  }

  /** Told of gradients; answers have been told of before. */
  private record GradientsOnly(GradientListener listener) implements GradientListener {

    @Override
    public void ready(int shard, int parameter, TensorView gradient) {
      listener.ready(shard, parameter, gradient);
    }

    @Override
    public void backwardBegins() {
      listener.backwardBegins();
    }

    @Override
    public void answered(int shard, LongSupplier correct) {}
  }

  /** Sums of a forward pass, which a second one takes as they are. */
  private static final class KeptStatistics implements StatisticsReducer {

    private final StatisticsReducer reducer;
    private final List<byte[]> totals = new ArrayList<>();
    private boolean repeats;
    private boolean keeps = true;
    private int next;

    KeptStatistics(StatisticsReducer reducer) {
      this.reducer = reducer;
    }

    TrainingStep in(TrainingStep step) {
      return reducer == null ? step : step.withStatistics(this);
    }

    void repeat() {
      repeats = true;
    }

    void repeated() {
      repeats = false;
      keeps = false;
    }

    @Override
    public void sum(String layer, List<MemorySegment> parts, MemorySegment total) {
      if (repeats) {
        total.copyFrom(MemorySegment.ofArray(totals.get(next++)));
        return;
      }
      reducer.sum(layer, parts, total);
      if (keeps) {
        totals.add(total.toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
