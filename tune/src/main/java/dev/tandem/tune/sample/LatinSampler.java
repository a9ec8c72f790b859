package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Latin hypercubes: of each block of trials every one has another part of each range, of as many
 * equal parts as there are trials in the block.
 *
 * @param trials in a block
 */
public record LatinSampler(int trials) implements Sampler {

  public LatinSampler {
    if (trials < 1) {
      throw new UsageException("sampler.latin.trials is %d, expected 1 or more".formatted(trials));
    }
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    Seed block = study.derive("latin").derive(trial / trials);
    int place = (int) (trial % trials);
    return Optional.of(
        space.choose(
            parameter -> {
              Domain domain = parameter.domain();
              int part = shuffled(block.derive(parameter.name()).random(), place);
              double inside = Sampler.random(study, trial, parameter.name()).nextDouble();
              double where = (part + inside) / trials;
              return domain.value(domain.low() + where * (domain.high() - domain.low()));
            }));
  }

  /** The number at a place of a random order of all numbers. */
  private int shuffled(SplittableRandom random, int place) {
    int[] order = new int[trials];
    for (int i = 0; i < trials; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order[place];
  }
}
