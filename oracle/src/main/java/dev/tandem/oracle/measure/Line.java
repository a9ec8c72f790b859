package dev.tandem.oracle.measure;

import java.util.List;

/** y = constant + slope x, neither negative, with the least squares of relative errors. */
record Line(double constant, double slope) {

  /** A place on it, about. */
  record Point(double x, double y) {}

  static Line of(List<Point> all) {
    double ones = 0;
    double xs = 0;
    double squares = 0;
    double ys = 0;
    double products = 0;
    for (Point point : all) {
      if (point.y > 0) {
        double weight = 1 / (point.y * point.y);
        ones += weight;
        xs += weight * point.x;
        squares += weight * point.x * point.x;
        ys += weight * point.y;
        products += weight * point.x * point.y;
      }
    }
    if (ones == 0) {
      return new Line(0, 0);
    }
    double determinant = ones * squares - xs * xs;
    double slope =
        determinant <= 1e-12 * ones * squares ? -1 : (ones * products - xs * ys) / determinant;
    double constant = (ys - slope * xs) / ones;
    if (slope < 0) {
      return new Line(ys / ones, 0);
    }
    return constant < 0 ? new Line(0, products / squares) : new Line(constant, slope);
  }
}
