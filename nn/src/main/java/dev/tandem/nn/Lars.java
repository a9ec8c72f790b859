package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * LARS of You et al., for large batches: each weight tensor moves by a share of its own size. With
 * l = trust * |p| / (|g| + decay * |p|), v = m v + rate * l * (g + decay * p), then p -= v. Biases
 * and parameters of normalisations move as in plain momentum, with l = 1 and without decay.
 */
public final class Lars extends ParameterwiseOptimizer {

  /** The numbers of the method; {@code trust} is the share of its size that a tensor may move. */
  public record Settings(
      @Default("0.9") double momentum,
      @Default("5e-4") double weightDecay,
      @Default("0.001") double trust) {

    public Settings {
      Numbers.share("momentum", momentum);
      Numbers.notNegative("weight-decay", weightDecay);
      Numbers.positive("trust", trust);
    }
  }

  private final Settings settings;

  /** Of the parameters and of their gradients; empty if the network is not split. */
  private double[][] norms = {};

  public Lars(Network network, Settings settings) {
    super(network, "momentum");
    this.settings = settings;
  }

  @Override
  void beforeUpdates(List<Update> updates, NormReducer reducer) {
    norms = norms(updates, reducer, Update::parameter, Update::gradient);
  }

  @Override
  void update(Update update, double learningRate) {
    Tensor slope = withDecay(update, settings.weightDecay());
    Tensor direction =
        kept(0, update).mul_(settings.momentum()).add_(slope, learningRate * local(update));
    update.parameter().sub_(direction);
  }

  private double local(Update update) {
    if (!update.decays()) {
      return 1;
    }
    boolean split = norms.length > 0;
    double size = split ? norms[0][update.place()] : update.parameter().norm().item();
    double slope = split ? norms[1][update.place()] : update.gradient().norm().item();
    return size > 0 && slope > 0
        ? settings.trust() * size / (slope + settings.weightDecay() * size)
        : 1;
  }
}
