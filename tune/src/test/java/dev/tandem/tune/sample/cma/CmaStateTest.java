package dev.tandem.tune.sample.cma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.testkit.TestSeed;
import java.io.InputStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

class CmaStateTest {

  private static double[] array(JsonNode node) {
    return StreamSupport.stream(node.spliterator(), false)
        .mapToDouble(JsonNode::asDouble)
        .toArray();
  }

  private static double[][] matrix(JsonNode node) {
    return StreamSupport.stream(node.spliterator(), false)
        .map(CmaStateTest::array)
        .toArray(double[][]::new);
  }

  @Test
  void followsThePublishedCode() throws Exception {
    CmaState state =
        new CmaState(
            new CmaRates(4, CmaRates.usualSize(4)), new double[] {.5, .5, .5, .5}, 1.0 / 6);
    try (InputStream file = getClass().getResourceAsStream("cma-0.9.1.json")) {
      for (JsonNode generation : new ObjectMapper().readTree(file)) {
        double[] values = array(generation.get("values"));
        state.next(matrix(generation.get("points")), values[0], values[values.length - 1]);
        assertArrayEquals(array(generation.get("mean")), state.mean(), 1e-9);
        assertEquals(generation.get("width").asDouble(), state.width(), 1e-9);
        double[][] expected = matrix(generation.get("covariance"));
        for (int i = 0; i < expected.length; i++) {
          assertArrayEquals(expected[i], state.covariance()[i], 1e-8);
        }
      }
    }
  }

  @Test
  void pointsHaveMeanAndCovarianceOfTheState() {
    var random = TestSeed.of(getClass()).random();
    CmaState state = new CmaState(new CmaRates(2, 6), new double[] {0.4, 0.6}, 0.1);
    double[][] points = new double[6][2];
    for (int generation = 0; generation < 3; generation++) {
      for (int i = 0; i < points.length; i++) {
        double along = random.nextGaussian();
        points[i] = new double[] {0.4 + 0.1 * along, 0.6 + 0.1 * along + 0.01 * i};
      }
      state.next(points, 0, 1);
    }
    int draws = 20_000;
    double[] mean = new double[2];
    double[] products = new double[3];
    for (int i = 0; i < draws; i++) {
      double[] point = state.point(new double[] {random.nextGaussian(), random.nextGaussian()});
      double x = (point[0] - state.mean()[0]) / state.width();
      double y = (point[1] - state.mean()[1]) / state.width();
      mean[0] += x / draws;
      mean[1] += y / draws;
      products[0] += x * x / draws;
      products[1] += x * y / draws;
      products[2] += y * y / draws;
    }
    double[][] covariance = state.covariance();
    double scale = covariance[0][0] + covariance[1][1];
    assertArrayEquals(new double[2], mean, 0.05 * Math.sqrt(scale));
    assertArrayEquals(
        new double[] {covariance[0][0], covariance[0][1], covariance[1][1]},
        products,
        0.06 * scale);
  }
}
