package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.Optional;

/** Every value equally likely, on a logarithmic scale where the domain has one. */
public final class RandomSampler implements Sampler {

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    return Optional.of(
        space.choose(
            parameter -> {
              Domain domain = parameter.domain();
              double place = Sampler.random(study, trial, parameter.name()).nextDouble();
              return domain.value(domain.low() + place * (domain.high() - domain.low()));
            }));
  }
}
