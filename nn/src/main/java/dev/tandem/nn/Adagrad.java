package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.yaml.Default;

/**
 * Adagrad of Duchi et al.: s is the sum of all squared gradients; p -= rate * g / (sqrt(s) +
 * epsilon).
 */
public final class Adagrad extends ParameterwiseOptimizer {

  /** The numbers of the method. */
  public record Settings(@Default("1e-10") double epsilon, @Default("0") double weightDecay) {

    public Settings {
      Numbers.positive("epsilon", epsilon);
      Numbers.notNegative("weight-decay", weightDecay);
    }
  }

  private final Settings settings;

  public Adagrad(Network network, Settings settings) {
    super(network, "square");
    this.settings = settings;
  }

  @Override
  void update(Update update, double learningRate) {
    Tensor slope = withDecay(update, settings.weightDecay());
    Tensor sum = kept(0, update).addcmul_(slope, slope, 1.0);
    Tensor spread = sum.sqrt().add_(settings.epsilon());
    update.parameter().addcdiv_(slope, spread, -learningRate);
  }
}
