package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tandem.nn.Adagrad;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Lamb;
import dev.tandem.nn.Lars;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.RmsProp;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.yaml.Default;

/** How parameters follow their gradients. */
@JsonTypeInfo(
    use = JsonTypeInfo.Id.NAME,
    property = "kind",
    defaultImpl = OptimizerConfig.Sgd.class)
@JsonSubTypes({
  @JsonSubTypes.Type(name = "sgd", value = OptimizerConfig.Sgd.class),
  @JsonSubTypes.Type(name = "adam", value = OptimizerConfig.OfAdam.class),
  @JsonSubTypes.Type(name = "adamw", value = OptimizerConfig.OfAdamW.class),
  @JsonSubTypes.Type(name = "rmsprop", value = OptimizerConfig.OfRmsProp.class),
  @JsonSubTypes.Type(name = "adagrad", value = OptimizerConfig.OfAdagrad.class),
  @JsonSubTypes.Type(name = "lars", value = OptimizerConfig.OfLars.class),
  @JsonSubTypes.Type(name = "lamb", value = OptimizerConfig.OfLamb.class)
})
public sealed interface OptimizerConfig {

  /** An optimizer of this kind for a network; the caller closes it. */
  Optimizer create(Network network);

  /** Values that it keeps for each parameter. */
  default int valuesPerParameter() {
    return switch (this) {
      case Sgd _, OfAdagrad _, OfLars _ -> 1;
      case OfAdam _, OfAdamW _, OfRmsProp _, OfLamb _ -> 2;
    };
  }

  /** Norms of each parameter that it needs for an update. */
  default int normsPerParameter() {
    return switch (this) {
      case Sgd _, OfAdagrad _, OfAdam _, OfAdamW _, OfRmsProp _ -> 0;
      case OfLars _, OfLamb _ -> 2;
    };
  }

  /** Stochastic gradient descent; clipping is the trainer's. */
  record Sgd(
      @Default("0.9") double momentum,
      @Default("0") double weightDecay,
      @Default("false") boolean nesterov)
      implements OptimizerConfig {

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

  /** Adam; decay of weights is part of the gradient. */
  record OfAdam(
      @Default("0.9") double meanDecay,
      @Default("0.999") double squareDecay,
      @Default("1e-8") double epsilon,
      @Default("0") double weightDecay)
      implements OptimizerConfig {

    public OfAdam {
      settings(meanDecay, squareDecay, epsilon, weightDecay, false); // checks
    }

    private static Adam.Settings settings(
        double meanDecay, double squareDecay, double epsilon, double decay, boolean decoupled) {
      return new Adam.Settings(meanDecay, squareDecay, epsilon, decay, decoupled);
    }

    @Override
    public Optimizer create(Network network) {
      return new Adam(network, settings(meanDecay, squareDecay, epsilon, weightDecay, false));
    }
  }

  /** AdamW: weights decay by themselves. */
  record OfAdamW(
      @Default("0.9") double meanDecay,
      @Default("0.999") double squareDecay,
      @Default("1e-8") double epsilon,
      @Default("1e-2") double weightDecay)
      implements OptimizerConfig {

    public OfAdamW {
      OfAdam.settings(meanDecay, squareDecay, epsilon, weightDecay, true); // checks
    }

    @Override
    public Optimizer create(Network network) {
      return new Adam(network, OfAdam.settings(meanDecay, squareDecay, epsilon, weightDecay, true));
    }
  }

  /** RMSprop. */
  record OfRmsProp(@JsonUnwrapped RmsProp.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new RmsProp(network, settings);
    }
  }

  /** Adagrad. */
  record OfAdagrad(@JsonUnwrapped Adagrad.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Adagrad(network, settings);
    }
  }

  /** LARS, for large batches. */
  record OfLars(@JsonUnwrapped Lars.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Lars(network, settings);
    }
  }

  /** LAMB, for large batches. */
  record OfLamb(@JsonUnwrapped Lamb.Settings settings) implements OptimizerConfig {
    @Override
    public Optimizer create(Network network) {
      return new Lamb(network, settings);
    }
  }
}
