package dev.tandem.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class GradientGraphTest {

  private static final GradientGraph.Node FIRST =
      new GradientGraph.Node("first", "relu", List.of(GradientGraph.INPUT), Shape.of(2));

  @Test
  void countsBytes() {
    var graph =
        new GradientGraph(
            List.of(FIRST),
            List.of(
                new GradientGraph.Parameter("b", "first", DType.FLOAT32, Shape.of(2)),
                new GradientGraph.Parameter("a", "first", DType.FLOAT32, Shape.of(3, 2))));
    assertEquals(32, graph.bytes());
    assertEquals("b", graph.parameters().getFirst().name());
  }

  @Test
  void refusesWhatIsNoGraph() {
    var early = new GradientGraph.Node("early", "relu", List.of("first"), Shape.of(2));
    var lost = new GradientGraph.Parameter("weight", "lost", DType.FLOAT32, Shape.of(2));
    assertThrows(
        IllegalArgumentException.class, () -> new GradientGraph(List.of(early, FIRST), List.of()));
    assertThrows(
        IllegalArgumentException.class, () -> new GradientGraph(List.of(FIRST, FIRST), List.of()));
    assertThrows(
        IllegalArgumentException.class, () -> new GradientGraph(List.of(FIRST), List.of(lost)));
  }
}
