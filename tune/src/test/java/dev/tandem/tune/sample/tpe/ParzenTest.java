package dev.tandem.tune.sample.tpe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.SpaceYaml;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.hipparchus.special.Erf;
import org.junit.jupiter.api.Test;

class ParzenTest {

  private static final TpeSettings HEIGHT = new TpeSettings(false, true, 0.2, false);
  private static final TpeSettings MASS = new TpeSettings(true, true, 0.2, false);

  private static final Space SPACE =
      Space.of(
          new Parameter("real", new RealDomain(-2, 3, 0, false)),
          new Parameter("rate", new RealDomain(1e-5, 0.1, 0, true)),
          new Parameter("drop", new RealDomain(0, 0.5, 0.1, false)),
          new Parameter("batch", new WholeDomain(16, 256, 16, false)),
          new Parameter("kind", new ChoiceDomain(List.of("a", "b", "c"))));

  private static Parzen parzen(
      Space space, List<Parameters> observed, boolean together, TpeSettings settings) {
    List<Trial> trials = new ArrayList<>();
    observed.forEach(values -> trials.add(Trial.waiting(trials.size(), values).complete(0)));
    Observations observations = new Observations(space);
    observations.update(new History(Direction.MINIMIZE, trials, List.of()), false);
    boolean[] all = new boolean[trials.size()];
    Arrays.fill(all, true);
    return new Parzen(observations, space.parameters(), all, together, settings);
  }

  @Test
  void densitiesAreThoseOfOptuna() throws Exception {
    try (InputStream file = getClass().getResourceAsStream("parzen-3.1.0.json")) {
      for (JsonNode each : new ObjectMapper().readTree(file)) {
        Space space = SpaceYaml.read(each.get("space"), key -> key);
        Parzen parzen =
            parzen(
                space, rows(space, each.get("observed")), each.get("together").asBoolean(), HEIGHT);
        List<Parameters> points = rows(space, each.get("points"));
        for (int i = 0; i < points.size(); i++) {
          assertEquals(
              each.get("logDensities").get(i).asDouble(),
              parzen.logDensity(internal(space, points.get(i))),
              1e-8,
              each::toString);
        }
      }
    }
  }

  private static List<Parameters> rows(Space space, JsonNode columns) {
    List<Parameters> rows = new ArrayList<>();
    int count = columns.get(space.parameters().getFirst().name()).size();
    for (int i = 0; i < count; i++) {
      Map<String, Object> values = new LinkedHashMap<>();
      for (Parameter parameter : space.parameters()) {
        double number = columns.get(parameter.name()).get(i).asDouble();
        Domain domain = parameter.domain();
        values.put(
            parameter.name(),
            domain instanceof RealDomain real && !real.log()
                ? domain.value(number)
                : domain instanceof ChoiceDomain
                    ? domain.value(number)
                    : domain instanceof WholeDomain ? (Object) (long) number : number);
      }
      rows.add(Parameters.of(values));
    }
    return rows;
  }

  private static double[] internal(Space space, Parameters values) {
    return space.parameters().stream()
        .mapToDouble(each -> each.domain().internal(values.value(each.name())))
        .toArray();
  }

  private static List<Parameters> draw(Space space, int count, SplittableRandom random) {
    List<Parameters> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(
          space.choose(
              each ->
                  each.domain()
                      .value(random.nextDouble(each.domain().low(), each.domain().high()))));
    }
    return rows;
  }

  @Test
  void densitiesAreTheSlowFormula() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int repeat = 0; repeat < 40; repeat++) {
      List<Parameters> observed = draw(SPACE, random.nextInt(60), random);
      for (TpeSettings settings : List.of(HEIGHT, MASS)) {
        Parzen parzen = parzen(SPACE, observed, true, settings);
        for (Parameters point : draw(SPACE, 5, random)) {
          assertEquals(
              Math.log(slow(observed, point, settings)),
              parzen.logDensity(internal(SPACE, point)),
              1e-9);
        }
      }
    }
  }

  /** As the text defines it: a sum over kernels of a product over parameters. */
  private static double slow(List<Parameters> observed, Parameters point, TpeSettings settings) {
    int m = observed.size();
    double[] weights = Parzen.weights(m);
    int d = SPACE.parameters().size();
    double sum = 0;
    for (int i = 0; i <= m; i++) {
      double product = weights[i];
      for (Parameter parameter : SPACE.parameters()) {
        Domain domain = parameter.domain();
        double x = domain.internal(point.value(parameter.name()));
        double low = domain.low();
        double high = domain.high();
        double mean = (low + high) / 2;
        double deviation = high - low;
        if (i < m) {
          mean = domain.internal(observed.get(i).value(parameter.name()));
          double width = settings.width() * Math.pow(m, -1.0 / (d + 4));
          deviation *= Math.max(1.0 / Math.min(100, m + 2), width);
        }
        if (domain instanceof ChoiceDomain choice) {
          double k = choice.values().size();
          product *= i == m ? 1 / k : ((x == mean ? 1 : 0) + 1.0 / (m + 1)) / (1 + k / (m + 1));
          continue;
        }
        double step = domain instanceof RealDomain real ? real.step() : 16;
        double z = (x - mean) / deviation;
        double above =
            step == 0
                ? Math.exp(-z * z / 2)
                    / Math.sqrt(2 * Math.PI)
                    / (settings.equalMass() ? deviation : 1)
                : mass(x - step / 2, x + step / 2, mean, deviation);
        product *= above / mass(low, high, mean, deviation);
      }
      sum += product;
    }
    return sum;
  }

  private static double mass(double from, double to, double mean, double deviation) {
    double root = deviation * Math.sqrt(2);
    return from > mean
        ? (Erf.erfc((from - mean) / root) - Erf.erfc((to - mean) / root)) / 2
        : (Erf.erfc((mean - to) / root) - Erf.erfc((mean - from) / root)) / 2;
  }

  @Test
  void equalMassesAreDensities() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (Parameter parameter : SPACE.parameters()) {
      Space one = Space.of(parameter);
      Domain domain = parameter.domain();
      for (boolean together : List.of(true, false)) {
        Parzen parzen = parzen(one, draw(one, 40, random), together, MASS);
        boolean counted = domain.count().isPresent();
        int points = counted ? (int) domain.count().getAsLong() : 20_000;
        double width = (domain.high() - domain.low()) / points;
        double sum = 0;
        for (int i = 0; i < points; i++) {
          double at = domain.low() + (i + 0.5) * width;
          double density = Math.exp(parzen.logDensity(new double[] {at}));
          sum += counted ? density : density * width;
        }
        assertEquals(1, sum, 1e-6, parameter + " together: " + together);
      }
    }
  }

  @Test
  void drawsFollowTheDensity() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (Parameter parameter : SPACE.parameters()) {
      Space one = Space.of(parameter);
      Domain domain = parameter.domain();
      Parzen parzen = parzen(one, draw(one, 20, random), false, MASS);
      int cells = domain.count().isPresent() ? (int) domain.count().getAsLong() : 12;
      double[] expected = new double[cells];
      double width = (domain.high() - domain.low()) / cells;
      int inside = domain.count().isPresent() ? 1 : 200;
      for (int i = 0; i < cells * inside; i++) {
        double at = domain.low() + (i + 0.5) * width / inside;
        double density = Math.exp(parzen.logDensity(new double[] {at}));
        expected[i / inside] += inside == 1 ? density : density * width / inside;
      }
      int draws = 40_000;
      int[] seen = new int[cells];
      double[] point = new double[1];
      for (int i = 0; i < draws; i++) {
        parzen.draw(random, point);
        seen[(int) Math.min(cells - 1, (point[0] - domain.low()) / width)]++;
      }
      for (int i = 0; i < cells; i++) {
        double deviation = Math.sqrt(draws * expected[i]);
        assertTrue(
            Math.abs(seen[i] - draws * expected[i]) < 6 * deviation + 5,
            parameter + ": " + Arrays.toString(seen) + " " + Arrays.toString(expected));
      }
    }
  }
}
