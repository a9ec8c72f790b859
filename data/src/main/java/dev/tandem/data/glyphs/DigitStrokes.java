package dev.tandem.data.glyphs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How people write the digits: for each digit a few variants, each a list of pen strokes.
 *
 * <p>A stroke is written as the points that the pen passes, "x y" in hundredths of the digit's box
 * with y downwards. The pen runs smoothly through a point unless {@code !} follows it: there it
 * turns a corner. A bar separates strokes.
 */
final class DigitStrokes {

  /** A point that the pen passes, in the unit square; at a corner the pen stops and turns. */
  record Point(double x, double y, boolean corner) {}

  /** One way of writing a digit. */
  record Variant(List<List<Point>> strokes) {}

  private static final String[][] WRITTEN = {
    {
      "58 0, 18 16, 4 55, 24 95, 60 99, 94 66, 90 22, 56 0",
      "66 6, 24 8, 4 50, 20 92, 55 100, 92 74, 94 34, 66 4, 38 6",
      "52 0, 26 20, 20 55, 32 92, 54 100, 76 82, 80 38, 62 4, 46 2",
      "30 8, 6 42, 14 88, 52 100, 90 78, 94 30, 62 0, 30 8",
    },
    {
      "52 0, 50 50, 48 100",
      "24 28, 40 16, 54 0!, 52 50, 52 100",
      "26 24, 54 0!, 52 50, 52 100 | 24 100, 52 99, 82 100",
      "60 0, 52 40, 40 100",
    },
    {
      "10 25, 34 2, 76 8, 80 36, 45 70, 8 98!, 50 95, 94 98",
      "12 25, 40 0, 80 15, 74 48, 36 84, 10 94, 14 78, 36 80, 66 98, 95 88",
      "12 16, 50 0, 86 20, 66 55, 10 100!, 90 100",
      "18 30, 20 8, 56 0, 84 22, 60 60, 14 96!, 60 90, 92 100, 96 88",
    },
    {
      "12 12, 50 0, 82 18, 72 42, 40 48!, 76 55, 88 78, 55 100, 10 88",
      "12 3, 85 3!, 45 40!, 82 54, 86 84, 50 100, 10 90",
      "14 16, 48 0, 82 16, 66 42, 44 50, 40 44, 66 50, 90 74, 60 100, 12 92",
      "20 4, 66 4, 80 24, 40 46!, 80 58, 84 86, 44 100, 8 84",
    },
    {
      "26 0, 12 56!, 50 57, 90 54 | 70 18, 68 60, 66 100",
      "66 0, 8 66!, 96 66 | 66 0, 65 50, 66 100",
      "18 0, 14 40, 44 54, 80 42 | 84 0, 80 50, 74 100",
      "60 0, 34 30, 8 60!, 92 58 | 64 34, 62 70, 58 100",
    },
    {
      "86 3, 25 3!, 20 45!, 60 38, 88 65, 65 98, 10 92",
      "26 5, 20 45!, 62 40, 86 70, 55 100, 12 92 | 26 5, 56 4, 90 3",
      "86 5, 36 4, 18 28, 50 46, 84 68, 56 100, 10 90",
      "80 0, 30 4!, 28 42!, 70 46, 80 78, 50 100, 18 96",
    },
    {
      "76 2, 30 30, 8 70, 35 100, 78 90, 80 60, 45 50, 12 72",
      "60 0, 20 40, 10 76, 40 100, 86 84, 74 55, 36 56, 14 80",
      "44 0, 20 44, 14 82, 46 100, 80 80, 66 54, 36 60, 18 80",
      "88 10, 50 4, 14 44, 12 84, 50 100, 88 76, 60 52, 14 72",
    },
    {
      "8 5, 50 6, 90 5!, 62 50, 42 100",
      "8 6, 50 6, 92 4!, 62 50, 46 100 | 28 50, 54 50, 82 48",
      "8 20, 12 4!, 50 8, 92 2!, 58 48, 42 100",
      "10 4, 60 0, 84 14, 66 50, 30 100",
    },
    {
      "80 15, 45 0, 15 20, 45 45, 86 75, 50 100, 12 78, 45 48, 86 25, 78 12",
      "50 0, 18 22, 50 46, 82 22, 50 0 | 50 46, 10 74, 50 100, 90 74, 50 46",
      "56 46, 22 28, 44 2, 78 16, 58 46, 18 70, 34 100, 78 92, 80 64, 50 46",
      "72 6, 34 4, 26 28, 60 50, 80 78, 48 100, 20 82, 40 52, 74 30, 76 10",
    },
    {
      "82 20, 45 0, 12 25, 40 50, 82 24!, 80 60, 72 100",
      "80 10, 40 2, 10 30, 40 52, 82 24, 80 60, 46 98, 14 90",
      "76 26, 50 0, 20 20, 38 50, 76 26!, 66 62, 44 100",
      "84 4, 40 2, 12 30, 46 50, 84 10!, 84 50, 84 100",
    },
  };

  private static final Variant[][] VARIANTS =
      Arrays.stream(WRITTEN)
          .map(digit -> Arrays.stream(digit).map(DigitStrokes::parse).toArray(Variant[]::new))
          .toArray(Variant[][]::new);

  private DigitStrokes() {}

  /** Number of ways to write this digit. */
  static int variants(int digit) {
    return VARIANTS[digit].length;
  }

  /** One way to write this digit. */
  static Variant variant(int digit, int number) {
    return VARIANTS[digit][number];
  }

  private static Variant parse(String written) {
    List<List<Point>> strokes = new ArrayList<>();
    for (String stroke : written.split("\\|", -1)) {
      List<Point> points = new ArrayList<>();
      for (String point : stroke.split(",", -1)) {
        boolean corner = point.endsWith("!");
        String[] numbers = point.replace("!", "").strip().split(" ", -1);
        points.add(
            new Point(
                Integer.parseInt(numbers[0]) / 100.0,
                Integer.parseInt(numbers[1]) / 100.0,
                corner));
      }
      strokes.add(List.copyOf(points));
    }
    return new Variant(List.copyOf(strokes));
  }
}
