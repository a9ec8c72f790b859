package dev.tandem.bench.strategies;

import java.util.List;

/**
 * How much is measured.
 *
 * @param rounds in which all strategies have turns, one after the other
 * @param steps of a turn that count, after one that does not
 */
public record StrategiesEffort(int rounds, int steps) {

  /** For figures to rely on. */
  public static final StrategiesEffort FULL = new StrategiesEffort(7, 6);

  /** About a minute for each network. */
  public static final StrategiesEffort QUICK = new StrategiesEffort(3, 2);

  /** As arguments of a rank. */
  List<String> arguments(StrategiesNetwork network) {
    return List.of(network.code(), Integer.toString(rounds), Integer.toString(steps));
  }

  static StrategiesEffort of(String[] arguments) {
    return new StrategiesEffort(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
  }
}
