package dev.tandem.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void medians() {
    assertEquals(new Spread(2, 1, 9), Spread.of(List.of(9.0, 1.0, 2.0)));
    assertEquals(new Spread(1.5, 1, 2), Spread.of(List.of(2.0, 1.0)));
    assertEquals(new Spread(4, 4, 4), Spread.of(List.of(4.0)));
  }
}
