package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.yaml.Default;

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

  public Lamb(Network network, Settings settings) {
    super(network, "mean", "square");
    this.settings = settings;
  }

  @Override
  void update(Update update, double learningRate) {
    Tensor mean = kept(0, update);
    Tensor square = kept(1, update);
    Adam.remember(mean, square, update.gradient(), settings.meanDecay(), settings.squareDecay());
    double meanCorrection = 1 - StrictMath.pow(settings.meanDecay(), (double) steps());
    double squareCorrection = 1 - StrictMath.pow(settings.squareDecay(), (double) steps());
    Tensor spread = square.div(squareCorrection).sqrt_().add_(settings.epsilon());
    Tensor move = mean.div(meanCorrection).div_(spread);
    double trust = 1;
    if (update.decays()) {
      move.add_(update.parameter(), settings.weightDecay());
      double size = update.parameter().norm().item();
      double length = move.norm().item();
      trust = size > 0 && length > 0 ? size / length : 1;
    }
    update.parameter().add_(move, -learningRate * trust);
  }
}
