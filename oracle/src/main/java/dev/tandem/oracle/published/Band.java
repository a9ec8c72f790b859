package dev.tandem.oracle.published;

import java.util.List;

/**
 * How far measurements lie from projections, as a factor in both directions.
 *
 * @param factor at least 1
 */
record Band(double factor) {

  /** Share of the measurements that it should contain. */
  private static final double SHARE = 0.9;

  /** What to say without any residuals: half to twice. */
  private static final Band UNKNOWN = new Band(2);

  /** The band that contained its share of projections of what a calibration had not seen. */
  static Band of(List<LeftOut> residuals) {
    if (residuals.isEmpty()) {
      return UNKNOWN;
    }
    double[] sizes = residuals.stream().mapToDouble(r -> Math.abs(r.residual())).sorted().toArray();
    int place = (int) Math.ceil(SHARE * (sizes.length + 1)) - 1;
    return new Band(Math.exp(sizes[Math.min(place, sizes.length - 1)]));
  }
}
