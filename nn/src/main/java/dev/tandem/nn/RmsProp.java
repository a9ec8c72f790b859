package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.yaml.Default;

/**
 * RMSprop of Hinton: v is a decaying mean of the squared gradient; with momentum b = m b + g /
 * (sqrt(v) + epsilon), then p -= rate * b.
 */
public final class RmsProp extends ParameterwiseOptimizer {

  /** The numbers of the method; {@code squareDecay} is the kept share of the mean square. */
  public record Settings(
      @Default("0.99") double squareDecay,
      @Default("1e-8") double epsilon,
      @Default("0") double momentum,
      @Default("0") double weightDecay) {

    public Settings {
      Numbers.share("square-decay", squareDecay);
      Numbers.positive("epsilon", epsilon);
      Numbers.share("momentum", momentum);
      Numbers.notNegative("weight-decay", weightDecay);
    }
  }

  private final Settings settings;

  public RmsProp(Network network, Settings settings) {
    super(network, "square", "momentum");
    this.settings = settings;
  }

  @Override
  void update(Update update, double learningRate) {
    Tensor slope = withDecay(update, settings.weightDecay());
    Tensor square = kept(0, update);
    square.mul_(settings.squareDecay()).addcmul_(slope, slope, 1 - settings.squareDecay());
    Tensor spread = square.sqrt().add_(settings.epsilon());
    Tensor direction = kept(1, update);
    direction.mul_(settings.momentum()).addcdiv_(slope, spread, 1.0);
    update.parameter().add_(direction, -learningRate);
  }
}
