package dev.tandem.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BootstrapTest {

  @Test
  void equalValuesLeaveNoDoubt() {
    assertEquals(new Bootstrap(2, 2, 2), Bootstrap.of(List.of(2.0, 2.0, 2.0)));
  }

  @Test
  void theIntervalLiesAroundTheMedianAndIsTheSameEveryTime() {
    List<Double> values = List.of(0.7, 0.8, 0.75, 0.9, 0.85, 0.72, 0.78, 0.81);
    Bootstrap interval = Bootstrap.of(values);
    assertEquals(0.79, interval.median(), 1e-9);
    assertTrue(interval.low() >= 0.7 && interval.low() < 0.79, interval.toString());
    assertTrue(interval.high() <= 0.9 && interval.high() > 0.79, interval.toString());
    assertEquals(interval, Bootstrap.of(values));
  }
}
