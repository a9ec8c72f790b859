package dev.tandem.data.glyphs;

import java.awt.geom.Path2D;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One writer on one occasion: moves the points of a stroke from the digit's box to the sheet, with
 * the writer's size, slant, turn and place, bent by a few slow waves (the elastic distortion), and
 * draws smooth curves through them.
 *
 * <p>Used by one thread, for one glyph. Angles go through {@link StrictMath}, which gives the same
 * bits on every processor.
 */
final class Hand {

  private static final int WAVES = 3;

  private final SplittableRandom random;
  // The affine part: sheet x = xx * x + xy * y + x0, where x and y are measured from the middle.
  private final double xx;
  private final double xy;
  private final double yx;
  private final double yy;
  private final double x0;
  private final double y0;
  // The elastic part: wave w shifts both coordinates by its amplitudes times the sine of its phase.
  private final double[] waveX = new double[WAVES];
  private final double[] waveY = new double[WAVES];
  private final double[] phase = new double[WAVES];
  private final double[] shiftX = new double[WAVES];
  private final double[] shiftY = new double[WAVES];

  Hand(SplittableRandom random) {
    this.random = random;
    double height = 18 + 4.4 * bell();
    double width = height * (0.66 + 0.3 * bell());
    double slant = 0.12 + 0.64 * bell();
    double turn = 0.48 * bell();
    double cosine = StrictMath.cos(turn);
    double sine = StrictMath.sin(turn);
    // First stretch, then slant to the right of the upright, then turn.
    double slanted = -slant * height;
    xx = cosine * width;
    xy = cosine * slanted - sine * height;
    yx = sine * width;
    yy = sine * slanted + cosine * height;
    x0 = Glyph.SIDE / 2.0 + 4 * bell();
    y0 = Glyph.SIDE / 2.0 + 4 * bell();
    for (int w = 0; w < WAVES; w++) {
      waveX[w] = 5.0 * bell();
      waveY[w] = 5.0 * bell();
      phase[w] = 2 * Math.PI * random.nextDouble();
      shiftX[w] = 0.16 * bell();
      shiftY[w] = 0.12 * bell();
    }
  }

  /** The stroke as this hand draws it on the sheet. */
  Path2D.Double draw(List<DigitStrokes.Point> stroke, double shake) {
    int count = stroke.size();
    double[] x = new double[count];
    double[] y = new double[count];
    for (int i = 0; i < count; i++) {
      x[i] = stroke.get(i).x() - 0.5 + shake * bell();
      y[i] = stroke.get(i).y() - 0.5 + shake * bell();
    }
    Path2D.Double path = new Path2D.Double();
    path.moveTo(sheetX(x[0], y[0]), sheetY(x[0], y[0]));
    for (int i = 0; i + 1 < count; i++) {
      // Catmull-Rom: the pen's direction at a point is parallel to the line between its
      // neighbours; at an end or a corner there is only one neighbour.
      int before = i == 0 || stroke.get(i).corner() ? i : i - 1;
      int after = i + 2 == count || stroke.get(i + 1).corner() ? i + 1 : i + 2;
      double fromX = x[i] + (x[i + 1] - x[before]) / 6;
      double fromY = y[i] + (y[i + 1] - y[before]) / 6;
      double toX = x[i + 1] - (x[after] - x[i]) / 6;
      double toY = y[i + 1] - (y[after] - y[i]) / 6;
      path.curveTo(
          sheetX(fromX, fromY),
          sheetY(fromX, fromY),
          sheetX(toX, toY),
          sheetY(toX, toY),
          sheetX(x[i + 1], y[i + 1]),
          sheetY(x[i + 1], y[i + 1]));
    }
    return path;
  }

  /** A number between -1 and 1, most often near 0: the sum of three uniform ones. */
  double bell() {
    return (random.nextDouble() + random.nextDouble() + random.nextDouble()) / 1.5 - 1;
  }

  private double sheetX(double x, double y) {
    return xx * bent(x, x, y, shiftX) + xy * bent(y, x, y, shiftY) + x0;
  }

  private double sheetY(double x, double y) {
    return yx * bent(x, x, y, shiftX) + yy * bent(y, x, y, shiftY) + y0;
  }

  private double bent(double coordinate, double x, double y, double[] shift) {
    for (int w = 0; w < WAVES; w++) {
      coordinate += shift[w] * StrictMath.sin(waveX[w] * x + waveY[w] * y + phase[w]);
    }
    return coordinate;
  }
}
