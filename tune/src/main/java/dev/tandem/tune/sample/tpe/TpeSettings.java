package dev.tandem.tune.sample.tpe;

/**
 * What distinguishes estimators of this family.
 *
 * @param equalMass whether kernels have equal mass, as theory has it and Optuna from 3.5 on; else
 *     equal height, which Optuna had before and which searches better
 * @param alternate whether every second trial chooses the parameters of a group together; else each
 *     is chosen by itself
 * @param width of kernels of several parameters: 0.2 in Optuna
 * @param constantLiar whether trials that run count as bad ones
 */
public record TpeSettings(
    boolean equalMass, boolean alternate, double width, boolean constantLiar) {

  /** Tandem's own. */
  public static final TpeSettings TANDEM = new TpeSettings(false, true, 0.1, true);

  /** Optuna 3.1, up to 3.4. */
  public static final TpeSettings OPTUNA_3_1 = new TpeSettings(false, false, 0.2, false);

  /** Optuna 3.5 and later. */
  public static final TpeSettings OPTUNA_4 = new TpeSettings(true, false, 0.2, false);

  /** Trials that are chosen at random before there is anything to estimate. */
  static final int STARTUP = 10;

  /** Candidates, of which the best is taken. */
  static final int CANDIDATES = 24;

  private static final int MOST_GOOD = 25;

  /** How many of the trials are good ones. */
  static int good(int trials) {
    return Math.min((trials + 9) / 10, MOST_GOOD);
  }
}
