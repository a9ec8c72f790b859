package dev.tandem.train;

import dev.tandem.nn.Evaluation;
import java.util.Locale;

/**
 * How far a network's values are from those of the test set, in the units of the data.
 *
 * @param mse mean squared error, over samples and outputs
 * @param mae mean absolute error
 * @param r2 explained share of the variance, 1 at best; 0 if it cannot be said because the targets
 *     are all the same
 */
public record RegressionScores(double mse, double mae, double r2) {

  /** The scores of an evaluation; null if it is one of classes. */
  public static RegressionScores of(Evaluation evaluation) {
    if (!evaluation.regression()) {
      return null;
    }
    double r2 = evaluation.explainedVariance();
    return new RegressionScores(
        evaluation.meanSquaredError(),
        evaluation.meanAbsoluteError(),
        Double.isFinite(r2) ? r2 : 0);
  }

  /** In one line. */
  public String sentence() {
    return String.format(Locale.ROOT, "MSE %.4g  MAE %.4g  R2 %.4f", mse, mae, r2);
  }
}
