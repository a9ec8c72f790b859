package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * LAMB of You et al., for large batches: Adam's step, with weight decay added to it, scaled for
 * each weight tensor to the size of the tensor. With r = m / (sqrt(v) + epsilon) + decay * p, p -=
 * rate * |p| / |r| * r. Biases and parameters of normalisations neither decay nor are scaled.
 */
public final class Lamb extends ParameterwiseOptimizer {

  /** The numbers of the method, as in {@link Adam.Settings}. */
  public record Settings(
      @Default("0.9") double meanDecay,
      @Default("0.999") double squareDecay,
      @Default("1e-6") double epsilon,
      @Default("1e-2") double weightDecay) {

    public Settings {
      Numbers.share("mean-decay", meanDecay);
      Numbers.share("square-decay", squareDecay);
      Numbers.positive("epsilon", epsilon);
      Numbers.notNegative("weight-decay", weightDecay);
    }
  }

  private final Settings settings;

  /** Of the parameters and of their moves; empty if the network is not split. */
  private double[][] norms = {};

  public Lamb(Network network, Settings settings) {
    super(network, "mean", "square");
    this.settings = settings;
  }

  @Override
  void beforeUpdates(List<Update> updates, NormReducer reducer) {
    updates.forEach(this::remember);
    norms = norms(updates, reducer, Update::parameter, this::move);
  }

  @Override
  void update(Update update, double learningRate) {
    boolean split = norms.length > 0;
    if (!split) {
      remember(update);
    }
    Tensor move = move(update);
    double trust = 1;
    if (update.decays()) {
      double size = split ? norms[0][update.place()] : update.parameter().norm().item();
      double length = split ? norms[1][update.place()] : move.norm().item();
      trust = size > 0 && length > 0 ? size / length : 1;
    }
    update.parameter().add_(move, -learningRate * trust);
  }

  private void remember(Update update) {
    Adam.remember(
        kept(0, update),
        kept(1, update),
        update.gradient(),
        settings.meanDecay(),
        settings.squareDecay());
  }

  private Tensor move(Update update) {
    double meanCorrection = 1 - StrictMath.pow(settings.meanDecay(), (double) steps());
    double squareCorrection = 1 - StrictMath.pow(settings.squareDecay(), (double) steps());
    Tensor spread = kept(1, update).div(squareCorrection).sqrt_().add_(settings.epsilon());
    Tensor move = kept(0, update).div(meanCorrection).div_(spread);
    return update.decays() ? move.add_(update.parameter(), settings.weightDecay()) : move;
  }
}
