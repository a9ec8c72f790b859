package dev.tandem.tune.importance;

import dev.tandem.tune.sample.Gaussian;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * PED-ANOVA (Watanabe, Bansal and Hutter 2023): a parameter matters as far as the values that the
 * best tenth of the complete trials have are distributed otherwise than those of all.
 */
public final class PedAnova {

  private static final double BEST = 0.1;
  private static final int MOST_CELLS = 50;
  private static final double NARROWEST = 0.5 / 1.64;

  private PedAnova() {}

  /** The importance of all parameters that have something to choose, the largest first. */
  public static List<Importance> of(Space space, Direction direction, List<Trial> trials) {
    List<Trial> complete =
        trials.stream()
            .filter(each -> each.state() == TrialState.COMPLETE)
            .sorted(Comparator.comparingDouble(each -> direction.loss(each.value())))
            .toList();
    List<Parameter> parameters =
        space.parameters().stream().filter(each -> !each.domain().single()).toList();
    List<Importance> found = new ArrayList<>();
    for (Parameter parameter : parameters) {
      List<Trial> having =
          complete.stream().filter(each -> Importance.has(each, parameter)).toList();
      double distance = having.size() <= 2 ? 0 : distance(parameter, direction, having);
      found.add(new Importance(parameter.name(), distance, having.size()));
    }
    return Importance.shares(found);
  }

  /** Pearson's distance of the best trials from all; the trials are sorted, the best first. */
  private static double distance(Parameter parameter, Direction direction, List<Trial> trials) {
    double[] losses = trials.stream().mapToDouble(each -> direction.loss(each.value())).toArray();
    double limit = Math.max(losses[1], quantile(losses, BEST));
    int best = 0;
    while (best < losses.length && losses[best] <= limit) {
      best++;
    }
    double[] all = density(parameter.domain(), cells(parameter, trials));
    double[] top = density(parameter.domain(), cells(parameter, trials.subList(0, best)));
    double distance = 0;
    for (int i = 0; i < all.length; i++) {
      distance += all[i] * Math.pow(top[i] / all[i] - 1, 2);
    }
    return distance;
  }

  static int count(Domain domain) {
    if (domain instanceof ChoiceDomain choice) {
      return choice.values().size();
    }
    if (domain instanceof WholeDomain whole && whole.log()) {
      double range = (double) (whole.greatest() - whole.least());
      return Math.min(MOST_CELLS, (int) Math.ceil(Math.log(Math.max(2, range)) / Math.log(2)) + 1);
    }
    return (int) Math.min(MOST_CELLS, domain.count().orElse(MOST_CELLS));
  }

  private static int[] cells(Parameter parameter, List<Trial> trials) {
    Domain domain = parameter.domain();
    int count = count(domain);
    return trials.stream()
        .mapToInt(
            each -> {
              double internal = domain.internal(each.parameters().value(parameter.name()));
              double place = (internal - domain.low()) / (domain.high() - domain.low());
              return (int) Math.min(count - 1, Math.max(0, Math.floor(place * count)));
            })
        .sorted()
        .toArray();
  }

  /** How likely each cell is, smoothed, and never nothing. */
  static double[] density(Domain domain, int[] sorted) {
    int count = count(domain);
    double[] density = new double[count];
    if (domain instanceof ChoiceDomain) {
      Arrays.fill(density, 1.0 / count);
      for (int cell : sorted) {
        density[cell]++;
      }
    } else {
      double[] places = Arrays.stream(sorted).asDoubleStream().toArray();
      double width = width(places);
      for (double place : places) {
        addKernel(density, place, width);
      }
      addKernel(density, (count - 1) / 2.0, count);
    }
    double sum = Arrays.stream(density).sum();
    return Arrays.stream(density).map(each -> each / sum).toArray();
  }

  private static double width(double[] sorted) {
    double mean = Arrays.stream(sorted).average().orElseThrow();
    double square =
        Arrays.stream(sorted).map(each -> (each - mean) * (each - mean)).sum()
            / Math.max(1, sorted.length - 1);
    double middleHalf = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    return Math.max(
        NARROWEST,
        1.059 * Math.min(middleHalf / 1.34, Math.sqrt(square)) * Math.pow(sorted.length, -0.2));
  }

  /** Adds a normal distribution truncated to the cells. */
  private static void addKernel(double[] density, double mean, double width) {
    double mass = Gaussian.between((-0.5 - mean) / width, (density.length - 0.5 - mean) / width);
    for (int i = 0; i < density.length; i++) {
      density[i] += Gaussian.between((i - 0.5 - mean) / width, (i + 0.5 - mean) / width) / mass;
    }
  }

  private static double quantile(double[] sorted, double part) {
    double place = part * (sorted.length - 1);
    int below = (int) Math.floor(place);
    int above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] == sorted[above]
        ? sorted[below]
        : sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
