package dev.tandem.train;

import dev.tandem.core.TensorView;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Network;
import dev.tandem.train.config.GuardConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Looks at every step between its gradients and its update: what is not finite, or a loss that
 * jumps, never reaches the parameters. All ranks see the same numbers and come to the same verdict.
 */
final class LossGuard implements AutoCloseable {

  /** Share of a new loss in the smoothed one. */
  private static final double NEW_SHARE = 0.05;

  private final GuardConfig config;
  private final Network network;
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> buffersBefore = new ArrayList<>();
  private double smoothed;

  /**
   * A guard of a network.
   *
   * @param smoothed the smoothed loss so far; not a number before the first step
   */
  LossGuard(GuardConfig config, Network network, double smoothed) {
    this.config = config;
    this.network = network;
    this.smoothed = smoothed;
    network.buffers().forEach(buffer -> buffersBefore.add(arena.allocate(buffer.byteSize(), 64)));
  }

  /** A step begins. Its forward pass will change buffers, which {@link #undo} brings back. */
  void begin() {
    for (int i = 0; i < buffersBefore.size(); i++) {
      buffersBefore.get(i).copyFrom(network.buffers().get(i).data());
    }
  }

  /** Forgets what the step has changed so far: the network is as it was after the last one. */
  void undo() {
    for (int i = 0; i < buffersBefore.size(); i++) {
      network.buffers().get(i).data().copyFrom(buffersBefore.get(i));
    }
  }

  /** The norm of the gradients, which are shortened if it is too large. */
  double clip() {
    return config.clip() > 0 ? Gradients.clip(network, config.clip()) : Gradients.norm(network);
  }

  /**
   * What is wrong with a step, if anything is.
   *
   * @param step its number, from 1
   * @param norm of its gradients
   */
  Optional<String> trouble(long step, double loss, double norm) {
    if (!Double.isFinite(loss) || !Double.isFinite(norm)) {
      String culprit =
          Gradients.firstNotFinite(network)
              .map(gradient -> "; the first gradient that is not finite is that of " + of(gradient))
              .orElse("");
      return Optional.of(
          "step %d: the loss is %s and the norm of the gradients %s%s"
              .formatted(step, number(loss), number(norm), culprit));
    }
    if (config.lossSpike() > 0
        && step > config.spikeAfter()
        && loss > config.lossSpike() * smoothed) {
      return Optional.of(
          "step %d: the loss jumped from about %s to %s; the largest gradient is that of %s"
              .formatted(step, number(smoothed), number(loss), of(largest())));
    }
    smoothed = Double.isNaN(smoothed) ? loss : smoothed + NEW_SHARE * (loss - smoothed);
    return Optional.empty();
  }

  private static String number(double value) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%.4g", value)
        : Double.toString(value);
  }

  /** Parameters are named after their layers. */
  private static String of(TensorView gradient) {
    String name = gradient.name();
    return "layer " + name.substring(0, name.lastIndexOf('.')) + " (" + name + ")";
  }

  private TensorView largest() {
    TensorView largest = null;
    double most = -1;
    for (TensorView gradient : network.gradients()) {
      double squares = 0;
      for (long i = 0; i < gradient.shape().elements(); i++) {
        double value = gradient.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
        squares += value * value;
      }
      if (squares > most) {
        most = squares;
        largest = gradient;
      }
    }
    return largest;
  }

  /** For a checkpoint. */
  double smoothedLoss() {
    return smoothed;
  }

  @Override
  public void close() {
    arena.close();
  }
}
