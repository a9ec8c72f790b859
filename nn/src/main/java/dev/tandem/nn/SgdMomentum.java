package dev.tandem.nn;

import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;

/**
 * Stochastic gradient descent with momentum, after Sutskever et al. as PyTorch writes it: v = m v +
 * g, then p -= rate * v, or with Nesterov p -= rate * (g + m v).
 *
 * <p>Weight decay adds a share of the parameter to its gradient; biases do not decay.
 */
public final class SgdMomentum extends ParameterwiseOptimizer {

  /**
   * The numbers of the method.
   *
   * @param momentum share of the last direction that is kept, from 0 to less than 1
   * @param weightDecay share of a weight that is added to its gradient
   * @param nesterov look ahead along the new direction
   * @param largestNorm a gradient whose Euclidean norm over all parameters is larger is scaled down
   *     to this norm, in the network's buffer; infinite for no limit
   */
  public record Settings(
      double momentum, double weightDecay, boolean nesterov, double largestNorm) {

    public Settings {
      Numbers.share("momentum", momentum);
      Numbers.notNegative("weight-decay", weightDecay);
      if (!(largestNorm > 0)) {
        throw new UsageException(
            "the largest gradient norm must be more than 0, not " + largestNorm);
      }
    }
  }

  private final Settings settings;

  public SgdMomentum(Network network, Settings settings) {
    super(network, "momentum");
    this.settings = settings;
  }

  @Override
  void beforeStep() {
    if (!Double.isInfinite(settings.largestNorm())) {
      Gradients.clip(network(), settings.largestNorm());
    }
  }

  @Override
  boolean updatesTogether() {
    return true;
  }

  @Override
  void updateTogether(Together some, double learningRate) {
    Functions.sgd(
        some.parameters(),
        some.gradients(),
        some.kept().getFirst(),
        some.decays() ? settings.weightDecay() : 0,
        settings.momentum(),
        learningRate,
        settings.nesterov());
  }

  @Override
  void update(Update update, double learningRate) {
    double momentum = settings.momentum();
    Tensor slope = withDecay(update, settings.weightDecay());
    Tensor direction = kept(0, update).mul_(momentum).add_(slope);
    Tensor move = settings.nesterov() ? slope.add(direction, momentum) : direction;
    update.parameter().add_(move, -learningRate);
  }
}
