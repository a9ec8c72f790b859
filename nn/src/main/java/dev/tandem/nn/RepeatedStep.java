package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Accelerator.Recording;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The passes of a training step on a device as one piece of work that is given to it again and
 * again, with another batch in the same place: so the processor's part of a step does not count.
 * Batches of one size are recorded after they have been computed a few times. One thread.
 */
final class RepeatedStep implements AutoCloseable {

  /** Steps of a kind before one is recorded: until then kernels are chosen and memory is found. */
  private static final int WARM_UP = 3;

  /** Recordings keep the memory of their activations. */
  private static final int MOST_RECORDINGS = 2;

  /** What makes two steps the same work. */
  private record Kind(int count, double share) {}

  /** One kind of step on the device. */
  private record Recorded(Tensor inputs, Tensor targets, Tensor results, Recording recording) {}

  private final Network network;
  private final Passes passes;
  private final Accelerator device;
  private final boolean possible;
  private final Map<Kind, Integer> seen = new HashMap<>();
  private final Map<Kind, Recorded> recorded = new HashMap<>();
  private boolean failed;

  RepeatedStep(Network network, Passes passes, Accelerator device) {
    this.network = network;
    this.passes = passes;
    this.device = device;
    possible = device.repeats() && isStatic(network.spec(), network.loss());
  }

  /** Whether the passes are the same work for every batch, without the host in between. */
  private static boolean isStatic(NetworkSpec spec, Loss loss) {
    return !(loss instanceof SampleLosses)
        && spec.nodes().stream()
            .map(NetworkSpec.Node::layer)
            .noneMatch(
                layer ->
                    layer instanceof Exchange
                        || (layer instanceof BatchNorm norm && norm.ranks().isPresent())
                        || (layer instanceof GroupNorm norm && norm.ranks().isPresent())
                        || (layer instanceof Dropout dropout && dropout.probability() > 0));
  }

  /** Whether the next step of this kind may be taken from a recording, or recorded. */
  boolean takes(Samples samples, TrainingStep step) {
    if (!possible
        || failed
        || step.accumulate()
        || step.statistics() != null
        || step.observer().isPresent()
        || step.timer().isPresent()
        || step.ready().early()
        || samples.second().isPresent()) {
      return false;
    }
    Kind kind = kind(samples, step);
    if (!recorded.isEmpty() && recorded.keySet().stream().allMatch(k -> k.count < kind.count)) {
      close(); // Batches have grown: what smaller ones keep is wanted for these.
    }
    return recorded.containsKey(kind)
        || (seen.merge(kind, 1, Integer::sum) > WARM_UP && recorded.size() < MOST_RECORDINGS);
  }

  private static Kind kind(Samples samples, TrainingStep step) {
    return new Kind(samples.count(), step.share(samples.count()));
  }

  /** Computes a step that {@link #takes} has agreed to; the mean loss. */
  double run(Samples samples, TrainingStep step) {
    Kind kind = kind(samples, step);
    Recorded own = recorded.get(kind);
    if (own == null) {
      own = record(samples, step);
      if (own == null) {
        return network.passesOf(samples, step);
      }
      recorded.put(kind, own);
    }
    copy(samples.inputs(), own.inputs);
    copy(samples.targets(), own.targets);
    own.recording.repeat();
    return passes.finishRepeated(step, own.results);
  }

  private void copy(MemorySegment batch, Tensor to) {
    long bytes = to.numel() * to.type().bytes();
    if (bytes > 0) {
      MemorySegment used = batch.asSlice(0, bytes);
      long from = network.staged(used).orElse(used.address());
      device.copy(Lane.COMPUTE, to.address(), from, bytes);
    }
  }

  /** Records the passes; nothing if this cannot be recorded, which is not tried again. */
  private Recorded record(Samples samples, TrainingStep step) {
    Tensor inputs = passes.deviceInput(samples.count()).retain();
    Tensor targets = passes.deviceTargets(samples.count()).retain();
    Tensor[] results = new Tensor[1];
    try {
      Recording recording =
          device.record(
              () -> results[0] = network.recordedPasses(inputs, targets, samples.count(), step));
      return new Recorded(inputs, targets, results[0], recording);
    } catch (WorkFailedException e) {
      failed = true;
      inputs.release();
      targets.release();
      System.err.println("graph: none, since a step cannot be recorded: " + e.getMessage());
      return null;
    }
  }

  @Override
  public void close() {
    for (Recorded each : recorded.values()) {
      each.recording.close();
      each.inputs.release();
      each.targets.release();
      each.results.release();
    }
    recorded.clear();
  }
}
