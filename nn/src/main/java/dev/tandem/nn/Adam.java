package dev.tandem.nn;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;

/**
 * Adam of Kingma and Ba, and AdamW of Loshchilov and Hutter: m and v are decaying means of the
 * gradient and of its square, corrected for their start at zero; p -= rate * m / (sqrt(v) +
 * epsilon).
 */
public final class Adam extends ParameterwiseOptimizer {

  /**
   * The numbers of the method.
   *
   * @param meanDecay share of the mean gradient that is kept (beta 1)
   * @param squareDecay share of the mean square that is kept (beta 2)
   * @param decoupled whether weights shrink by themselves (AdamW) or by their gradient (Adam)
   */
  public record Settings(
      double meanDecay, double squareDecay, double epsilon, double weightDecay, boolean decoupled) {

    public Settings {
      Numbers.share("mean-decay", meanDecay);
      Numbers.share("square-decay", squareDecay);
      Numbers.positive("epsilon", epsilon);
      Numbers.notNegative("weight-decay", weightDecay);
    }
  }

  private final Settings settings;

  public Adam(Network network, Settings settings) {
    super(network, "mean", "square");
    this.settings = settings;
  }

  @Override
  boolean updatesTogether() {
    return true;
  }

  @Override
  void updateTogether(Together some, double learningRate) {
    Functions.adam(
        some.parameters(),
        some.gradients(),
        some.kept().get(0),
        some.kept().get(1),
        Tensor.zeros(ScalarType.FLOAT, 1).fill_((double) steps()),
        learningRate,
        settings.meanDecay(),
        settings.squareDecay(),
        some.decays() ? settings.weightDecay() : 0,
        settings.epsilon(),
        settings.decoupled());
  }

  @Override
  void update(Update update, double learningRate) {
    Tensor slope = update.gradient();
    if (!settings.decoupled()) {
      slope = withDecay(update, settings.weightDecay());
    } else if (update.decays()) {
      update.parameter().mul_(1 - learningRate * settings.weightDecay());
    }
    Tensor mean = kept(0, update);
    Tensor square = kept(1, update);
    remember(mean, square, slope, settings.meanDecay(), settings.squareDecay());
    double meanCorrection = 1 - StrictMath.pow(settings.meanDecay(), (double) steps());
    double squareCorrection = 1 - StrictMath.pow(settings.squareDecay(), (double) steps());
    Tensor spread = square.sqrt().div_(Math.sqrt(squareCorrection)).add_(settings.epsilon());
    update.parameter().addcdiv_(mean, spread, -learningRate / meanCorrection);
  }

  /** Lets a gradient into the decaying means of gradients and squares. */
  static void remember(
      Tensor mean, Tensor square, Tensor slope, double meanDecay, double squareDecay) {
    mean.mul_(meanDecay).add_(slope, 1 - meanDecay);
    square.mul_(squareDecay).addcmul_(slope, slope, 1 - squareDecay);
  }
}
