package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.List;
import java.util.Optional;

/** Sobol's sequence: points that fill the space evenly, however many there will be. */
public final class SobolSampler implements Sampler {

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    List<Parameter> parameters = space.parameters();
    double[] point =
        new SobolPoints(study.derive("sobol"), parameters.stream().map(Parameter::name).toList())
            .point(Math.toIntExact(trial));
    return Optional.of(
        space.choose(
            parameter -> {
              Domain domain = parameter.domain();
              double place = point[parameters.indexOf(parameter)];
              return domain.value(domain.low() + place * (domain.high() - domain.low()));
            }));
  }
}
