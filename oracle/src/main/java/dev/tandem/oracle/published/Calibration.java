package dev.tandem.oracle.published;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Constants that fit measurements. Besides {@link Constant}, devices wait for the slowest: a share
 * of the iteration for each doubling of the number of nodes.
 *
 * <p>The sum of Huber's losses of relative errors, and of squares of how far, relative to their
 * nominal values, constants depart from these, is smallest. Where measurements tell computation
 * from communication, both count as well, less than their sum.
 */
final class Calibration implements IterationModel {

  private static final Constant[] CONSTANTS = Constant.values();

  /** Relative errors above this count by their size, not its square. */
  private static final double HUBER = 0.05;

  /** How strongly constants are drawn to nominal values: as one relative error of this size. */
  private static final double PRIOR = 0.2;

  /** The same for layers' time, which the serial profile tells. */
  private static final double PROFILE_PRIOR = 1;

  /** What one part of an iteration's time counts, compared with all of it. */
  private static final double PART_WEIGHT = 0.25;

  private static final int REWEIGHTINGS = 20;
  private static final double MOST_WAITING = 0.08;
  private static final double WAITING_STEP = 0.005;

  private final CampaignNetworks networks;
  private final double[] values;
  private final double waiting;

  private Calibration(CampaignNetworks networks, double[] values, double waiting) {
    this.networks = networks;
    this.values = values;
    this.waiting = waiting;
  }

  /** One equation: relative errors are those of {@code factors} times the constants to 1. */
  @SuppressWarnings("ArrayRecordComponent") // not compared, and not changed
  private record Equation(double[] factors, double value, double weight) {

    double error(double[] values) {
      double sum = -value;
      for (int i = 0; i < values.length; i++) {
        sum += factors[i] * values[i];
      }
      return sum;
    }
  }

  /** Fits constants to measurements; without any they are nominal. */
  static Calibration fit(List<Observation> observations, CampaignNetworks networks) {
    double[] nominal =
        Arrays.stream(CONSTANTS).mapToDouble(c -> c.nominal(networks.platform())).toArray();
    Calibration best = null;
    double least = Double.POSITIVE_INFINITY;
    for (double waiting = 0; waiting <= MOST_WAITING; waiting += WAITING_STEP) {
      List<Equation> equations = new ArrayList<>();
      for (Observation observation : observations) {
        equations(observation, networks, waiting, equations);
      }
      double[] values = nominal.clone();
      for (int i = 0; i < REWEIGHTINGS; i++) {
        values = reweighted(equations, values, nominal);
      }
      double loss = loss(equations, values, nominal);
      if (loss < least) {
        least = loss;
        best = new Calibration(networks, values, waiting);
      }
    }
    return best;
  }

  private static void equations(
      Observation observation,
      CampaignNetworks networks,
      double waiting,
      List<Equation> equations) {
    Configuration configuration = observation.configuration();
    Amounts amounts = amounts(configuration, networks);
    double longer = 1 + waiting * doublings(amounts);
    double[] computation = new double[CONSTANTS.length];
    double[] all = new double[CONSTANTS.length];
    double[] rest = new double[CONSTANTS.length];
    for (int i = 0; i < CONSTANTS.length; i++) {
      computation[i] = amounts.computation[i] / observation.seconds();
      all[i] = longer * (amounts.computation[i] + amounts.communication[i]) / observation.seconds();
      rest[i] = all[i] - computation[i];
    }
    equations.add(new Equation(all, 1, 1));
    if (observation.computation().isPresent()) {
      double share = observation.computation().getAsDouble() / observation.seconds();
      equations.add(new Equation(computation, share, PART_WEIGHT));
      equations.add(new Equation(rest, 1 - share, PART_WEIGHT));
    }
  }

  private static double[] reweighted(List<Equation> equations, double[] values, double[] nominal) {
    NonNegativeFit fit = new NonNegativeFit(CONSTANTS.length);
    for (Equation equation : equations) {
      double error = Math.abs(equation.error(values));
      fit.add(
          equation.factors(), equation.value(), equation.weight() * HUBER / Math.max(error, HUBER));
    }
    for (int i = 0; i < CONSTANTS.length; i++) {
      double[] factors = new double[CONSTANTS.length];
      factors[i] = prior(i) / nominal[i];
      fit.add(factors, prior(i), 1);
    }
    return fit.solve(values);
  }

  private static double loss(List<Equation> equations, double[] values, double[] nominal) {
    double loss = 0;
    for (Equation equation : equations) {
      double error = Math.abs(equation.error(values));
      loss += equation.weight() * (error < HUBER ? error * error : HUBER * (2 * error - HUBER));
    }
    for (int i = 0; i < CONSTANTS.length; i++) {
      double departure = prior(i) * (values[i] / nominal[i] - 1);
      loss += departure * departure;
    }
    return loss;
  }

  private static double prior(int constant) {
    return CONSTANTS[constant] == Constant.COMPUTE ? PROFILE_PRIOR : PRIOR;
  }

  private static Amounts amounts(Configuration configuration, CampaignNetworks networks) {
    return new Amounts(
        configuration,
        networks.sizes(configuration.model(), configuration.dataset()),
        networks.platform());
  }

  private static double doublings(Amounts amounts) {
    return Math.log(amounts.nodes) / Math.log(2);
  }

  @Override
  public double seconds(Configuration configuration) {
    return parts(configuration).values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Seconds of an iteration by what they go into. */
  Map<Part, Double> parts(Configuration configuration) {
    Amounts amounts = amounts(configuration, networks);
    Map<Part, Double> parts = new EnumMap<>(Part.class);
    double busy = 0;
    for (int i = 0; i < CONSTANTS.length; i++) {
      double seconds = values[i] * (amounts.computation[i] + amounts.communication[i]);
      parts.merge(CONSTANTS[i].part(), seconds, Double::sum);
      busy += seconds;
    }
    parts.put(Part.WAITING, busy * waiting * doublings(amounts));
    return parts;
  }

  /** The constants in their units. */
  Map<Constant, Double> constants() {
    Map<Constant, Double> constants = new EnumMap<>(Constant.class);
    for (int i = 0; i < CONSTANTS.length; i++) {
      constants.put(CONSTANTS[i], values[i]);
    }
    return constants;
  }

  /** The share of an iteration that devices wait, for each doubling of the number of nodes. */
  double waiting() {
    return waiting;
  }
}
