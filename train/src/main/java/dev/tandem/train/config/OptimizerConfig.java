package dev.tandem.train.config;

import dev.tandem.nn.Adagrad;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Lamb;
import dev.tandem.nn.Lars;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.RmsProp;
import dev.tandem.nn.SgdMomentum;

/** How parameters follow their gradients. */
public sealed interface OptimizerConfig {

  /** An optimizer of this kind for a network; the caller closes it. */
  Optimizer create(Network network);

  /** Stochastic gradient descent; clipping is the trainer's. */
  record Sgd(double momentum, double weightDecay, boolean nesterov) implements OptimizerConfig {

    public Sgd {
      settings(momentum, weightDecay, nesterov); // checks
    }

    private static SgdMomentum.Settings settings(double momentum, double decay, boolean nesterov) {
      return new SgdMomentum.Settings(momentum, decay, nesterov, Double.POSITIVE_INFINITY);
    }

    @Override
    public Optimizer create(Network network) {
      return new SgdMomentum(network, settings(momentum, weightDecay, nesterov));
    }
  }

  /** Adam, or AdamW where weights decay by themselves. */
  record OfAdam(Adam.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Adam(network, settings);
    }
  }

  /** RMSprop. */
  record OfRmsProp(RmsProp.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new RmsProp(network, settings);
    }
  }

  /** Adagrad. */
  record OfAdagrad(Adagrad.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Adagrad(network, settings);
    }
  }

  /** LARS, for large batches. */
  record OfLars(Lars.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Lars(network, settings);
    }
  }

  /** LAMB, for large batches. */
  record OfLamb(Lamb.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Lamb(network, settings);
    }
  }
}
