package dev.tandem.tune.sample.gp;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.SobolSampler;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fits a Gaussian process to the values of complete trials and takes the point where it expects the
 * largest improvement. Trials that run count as if they gave what is expected. For expensive
 * trials: a suggestion takes from milliseconds to seconds. Spaces with conditions are left to
 * another sampler.
 */
public final class GpSampler implements Sampler {

  private static final int STARTUP = 10;

  /** With more trials than twice this, the best and the newest so many are used. */
  private static final int MOST = 150;

  private final Sampler first = new SobolSampler();
  private final Sampler conditional;

  /**
   * A sampler.
   *
   * @param conditional for spaces with conditions
   */
  public GpSampler(Sampler conditional) {
    this.conditional = conditional;
  }

  @SuppressWarnings("ArrayRecordComponent") // Compared by identity, which is meant.
  private record Seen(double[] point, double loss) {}

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    if (space.conditional()) {
      return conditional.suggest(space, history, study, trial);
    }
    GpDimensions dimensions = new GpDimensions(space);
    List<Seen> seen = seen(dimensions, history);
    if (seen.size() < STARTUP || dimensions.size() == 0) {
      return first.suggest(space, history, study, trial);
    }
    double[][] points = seen.stream().map(Seen::point).toArray(double[][]::new);
    Gp fitted = new GpFit(new Matern(dimensions.choices()), points, standard(seen)).fit();
    double best = fitted.least();
    double[][] pending =
        history.pending().stream()
            .flatMap(each -> dimensions.point(each.parameters()).stream())
            .toArray(double[][]::new);
    Gp gp = pending.length == 0 ? fitted : fitted.believing(pending);
    double[] known =
        seen.stream().min(Comparator.comparingDouble(Seen::loss)).orElseThrow().point();
    Seed seed = study.derive("gp").derive(trial);
    double[] found = new AcquisitionSearch(dimensions, gp, best).search(known, seed);
    return Optional.of(space.choose(parameter -> dimensions.value(parameter, found)));
  }

  /** Complete trials and those that diverged, at most so many. */
  private static List<Seen> seen(GpDimensions dimensions, History history) {
    List<Seen> all = new ArrayList<>();
    for (Trial trial : history.ended()) {
      if (trial.state() == TrialState.COMPLETE || trial.diverged()) {
        dimensions
            .point(trial.parameters())
            .ifPresent(point -> all.add(new Seen(point, history.loss(trial))));
      }
    }
    if (all.size() <= 2 * MOST) {
      return all;
    }
    Set<Seen> kept = new LinkedHashSet<>();
    all.stream().sorted(Comparator.comparingDouble(Seen::loss)).limit(MOST).forEach(kept::add);
    kept.addAll(all.subList(all.size() - MOST, all.size()));
    return List.copyOf(kept);
  }

  /** Losses with mean 0 and deviation 1; infinite ones are the worst of the others. */
  private static double[] standard(List<Seen> seen) {
    double worst = seen.stream().mapToDouble(Seen::loss).filter(Double::isFinite).max().orElse(0);
    double least = seen.stream().mapToDouble(Seen::loss).filter(Double::isFinite).min().orElse(0);
    double[] losses =
        seen.stream().mapToDouble(each -> Math.min(worst, Math.max(least, each.loss()))).toArray();
    double mean = 0;
    for (double loss : losses) {
      mean += loss / losses.length;
    }
    double square = 0;
    for (double loss : losses) {
      square += (loss - mean) * (loss - mean) / losses.length;
    }
    double deviation = Math.max(Math.sqrt(square), 1e-10);
    for (int i = 0; i < losses.length; i++) {
      losses[i] = (losses[i] - mean) / deviation;
    }
    return losses;
  }
}
