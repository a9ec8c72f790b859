package dev.tandem.train;

import dev.tandem.core.TensorView;
import dev.tandem.train.config.GuardConfig;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Looks at every step between its gradients and its update: what is not finite, or a loss that
 * jumps, never reaches the parameters. Ranks that see the same numbers come to the same verdict.
 */
final class LossGuard {

  /** Share of a new loss in the smoothed one. */
  private static final double NEW_SHARE = 0.05;

  /** A jump is at least this high: a network that is nearly always right errs visibly at times. */
  private static final double LEAST_JUMP = 1;

  private final GuardConfig config;
  private double smoothed;

  /**
   * A guard of a run.
   *
   * @param smoothed the smoothed loss so far; not a number before the first step
   */
  LossGuard(GuardConfig config, double smoothed) {
    this.config = config;
    this.smoothed = smoothed;
  }

  /** The norm to which longer gradients are scaled down; 0 for none. */
  double longest() {
    return config.clip();
  }

  /**
   * What is wrong with a step, if anything is.
   *
   * @param step its number, from 1
   * @param norm of its gradients
   * @param gradients in the order of the network, to name one that is to blame
   */
  Optional<String> trouble(
      long step, double loss, double norm, Supplier<List<TensorView>> gradients) {
    if (!Double.isFinite(loss) || !Double.isFinite(norm)) {
      String culprit =
          firstNotFinite(gradients.get())
              .map(gradient -> "; the first gradient that is not finite is that of " + of(gradient))
              .orElse("");
      return Optional.of(
          "step %d: the loss is %s and the norm of the gradients %s%s"
              .formatted(step, number(loss), number(norm), culprit));
    }
    if (config.lossSpike() > 0
        && step > config.spikeAfter()
        && loss > config.lossSpike() * smoothed
        && loss > smoothed + LEAST_JUMP) {
      return Optional.of(
          "step %d: the loss jumped from about %s to %s; the largest gradient is that of %s"
              .formatted(step, number(smoothed), number(loss), of(largest(gradients.get()))));
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

  /** The one that the backward pass made first: those after it only inherit. */
  private static Optional<TensorView> firstNotFinite(List<TensorView> gradients) {
    return gradients.reversed().stream()
        .filter(gradient -> !Double.isFinite(squares(gradient)))
        .findFirst();
  }

  private static TensorView largest(List<TensorView> gradients) {
    TensorView largest = gradients.getFirst();
    double most = -1;
    for (TensorView gradient : gradients) {
      double squares = squares(gradient);
      if (squares > most) {
        most = squares;
        largest = gradient;
      }
    }
    return largest;
  }

  private static double squares(TensorView gradient) {
    double squares = 0;
    for (long i = 0; i < gradient.shape().elements(); i++) {
      double value = gradient.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      squares += value * value;
    }
    return squares;
  }

  /** For a checkpoint. */
  double smoothedLoss() {
    return smoothed;
  }
}
