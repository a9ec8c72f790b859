package dev.tandem.sync.simulate;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Finds the noise with which the simulated baseline comes closest to the published one, by a
 * downhill simplex over the logarithms of six parameters. It never runs another policy, so nothing
 * that is predicted can have been fitted. The chances that a sleeper finds its core held stay as
 * given: the figures of the baseline hardly show them. Deterministic by seed.
 */
public final class NoiseFit {

  static final int RANK_ITERATIONS = 100_000;
  private static final double FIRST_STEP = 0.5;

  /** Points are scattered within a factor of e to this either way. */
  private static final double SCATTER = 1.5;

  private final SyncParameters given;
  private final Seed seed;
  private final Progress progress;

  public NoiseFit(SyncParameters given, Seed seed, Progress progress) {
    this.given = given;
    this.seed = seed;
    this.progress = progress;
  }

  /** A point of the simplex: immutable, its array is never written to. */
  private static final class Vertex {

    final double[] logarithms;
    final double distance;

    Vertex(double[] logarithms, double distance) {
      this.logarithms = logarithms;
      this.distance = distance;
    }
  }

  /**
   * Parameters like those given, but for the six that are fitted.
   *
   * @param scattered points tried around those given; the best of all is where the simplex begins
   * @param steps of the simplex
   */
  public SyncParameters run(int scattered, int steps) {
    List<Vertex> simplex = new ArrayList<>();
    simplex.add(scatter(vertex(logarithms()), scattered));
    double[] begin = simplex.getFirst().logarithms;
    for (int i = 0; i < begin.length; i++) {
      double[] moved = begin.clone();
      moved[i] += FIRST_STEP;
      simplex.add(vertex(moved));
    }
    try (Progress.Task task = progress.start("fitting", steps, "steps")) {
      for (int step = 0; step < steps; step++) {
        simplex.sort(Comparator.comparingDouble(vertex -> vertex.distance));
        step(simplex);
        task.advanceTo(
            step + 1, String.format(Locale.ROOT, "distance %.4f", simplex.getFirst().distance));
      }
    }
    simplex.sort(Comparator.comparingDouble(vertex -> vertex.distance));
    return parameters(simplex.getFirst().logarithms);
  }

  /** The best of many points around one: a simplex finds the bottom of a valley, not the valley. */
  private Vertex scatter(Vertex centre, int count) {
    SplittableRandom random = seed.derive("scatter").random();
    Vertex best = centre;
    for (int i = 0; i < count; i++) {
      Vertex drawn =
          vertex(
              Arrays.stream(centre.logarithms)
                  .map(value -> value + SCATTER * (2 * random.nextDouble() - 1))
                  .toArray());
      best = drawn.distance < best.distance ? drawn : best;
    }
    return best;
  }

  /** What the baseline gives with parameters, beside what was published, for people. */
  public static List<String> report(SyncParameters parameters, Seed seed) {
    return List.of(
        "published: " + BaselineFigures.PUBLISHED.text(),
        "simulated: "
            + BaselineFigures.simulated(
                    new SyncSimulator(parameters, seed),
                    parameters.network(BaselineFigures.NETWORK))
                .text());
  }

  /** One step of the simplex, whose vertices come best first. */
  private void step(List<Vertex> simplex) {
    int worst = simplex.size() - 1;
    double[] centre = centre(simplex.subList(0, worst));
    Vertex reflected = beyond(centre, simplex.get(worst), 1);
    if (reflected.distance < simplex.getFirst().distance) {
      Vertex expanded = beyond(centre, simplex.get(worst), 2);
      simplex.set(worst, expanded.distance < reflected.distance ? expanded : reflected);
    } else if (reflected.distance < simplex.get(worst - 1).distance) {
      simplex.set(worst, reflected);
    } else {
      Vertex contracted =
          reflected.distance < simplex.get(worst).distance
              ? beyond(centre, simplex.get(worst), 0.5)
              : beyond(centre, simplex.get(worst), -0.5);
      if (contracted.distance < simplex.get(worst).distance) {
        simplex.set(worst, contracted);
      } else {
        shrink(simplex);
      }
    }
  }

  private void shrink(List<Vertex> simplex) {
    for (int i = 1; i < simplex.size(); i++) {
      simplex.set(i, beyond(simplex.getFirst().logarithms, simplex.get(i), -0.5));
    }
  }

  private Vertex beyond(double[] centre, Vertex from, double factor) {
    double[] point = new double[centre.length];
    for (int i = 0; i < point.length; i++) {
      point[i] = centre[i] + factor * (centre[i] - from.logarithms[i]);
    }
    return vertex(point);
  }

  private static double[] centre(List<Vertex> vertices) {
    double[] centre = new double[vertices.getFirst().logarithms.length];
    for (Vertex vertex : vertices) {
      for (int i = 0; i < centre.length; i++) {
        centre[i] += vertex.logarithms[i] / vertices.size();
      }
    }
    return centre;
  }

  private Vertex vertex(double[] logarithms) {
    SyncParameters parameters = parameters(logarithms);
    BaselineFigures figures =
        BaselineFigures.simulated(
            new SyncSimulator(parameters, seed, RANK_ITERATIONS),
            parameters.network(BaselineFigures.NETWORK));
    return new Vertex(logarithms, figures.distance(BaselineFigures.PUBLISHED));
  }

  private double[] logarithms() {
    SchedulingNoise noise = given.noise();
    double[] values = {
      given.cluster().input().millis(),
      given.cluster().input().drag(),
      given.cluster().links().congestion(),
      noise.holdMillis(),
      noise.preemptionsPerThousandNodes(),
      noise.stallsPerSecond()
    };
    return Arrays.stream(values).map(Math::log).toArray();
  }

  private SyncParameters parameters(double[] logarithms) {
    double[] values = Arrays.stream(logarithms).map(Math::exp).toArray();
    return given
        .with(
            given
                .cluster()
                .withInput(new ClusterModel.Input(values[0], values[1]))
                .withCongestion(values[2]))
        .with(
            new SchedulingNoise(
                given.noise().timerSlackMicros(),
                values[3],
                given.noise().takeoverMillis(),
                given.noise().heldShare(),
                given.noise().heldShareInWindow(),
                values[4],
                values[5],
                given.noise().jitter()));
  }
}
