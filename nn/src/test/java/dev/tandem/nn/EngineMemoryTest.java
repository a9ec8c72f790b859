package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a network, its optimizer and its passes have of the engine's memory. */
class EngineMemoryTest {

  private static final int BATCH = 6;

  private final Seed seed = TestSeed.of(EngineMemoryTest.class);
  private final NetworkSpec spec = SmallGraph.spec();
  private final Batches batch = Batches.random(seed, spec, DType.FLOAT32, BATCH);

  @Test
  void everythingIsGivenBack() {
    Engine engine = Engine.start(1);
    try (Network network = Network.create(engine, spec, seed);
        Optimizer optimizer = new Adam(network, new Adam.Settings(0.9, 0.999, 1e-8, 0, false))) {
      long held = engine.memory().current();
      assertTrue(held >= least(network.parameters(), network.gradients(), network.buffers()));
      assertTrue(held >= 4 * least(network.parameters()));
      network.forwardBackward(batch.samples(), TrainingStep.of(seed, 0));
      optimizer.step(0.1);
      network.evaluate(batch.samples());
      assertEquals(held, engine.memory().current());
      assertTrue(engine.memory().peak() > held);
    }
    assertEquals(0, engine.memory().current());
  }

  @Test
  void activationsStayUntilTheBackwardPass() {
    Engine engine = Engine.start(1);
    try (Network network = Network.create(engine, spec, seed)) {
      long held = engine.memory().current();
      try (OpenRun one = network.begin(batch.samples(), TrainingStep.of(seed, 0))) {
        one.forward();
        long first = engine.memory().current();
        try (OpenRun other = network.begin(batch.samples(), TrainingStep.of(seed, 0))) {
          other.forward();
          assertEquals(2 * first - held, engine.memory().current());
          other.backward();
        }
        assertEquals(first, engine.memory().current());
      }
      assertEquals(held, engine.memory().current());
    }
  }

  @Test
  void enginesCountApart() {
    Engine one = Engine.start(1);
    Engine other = Engine.start(1);
    try (Network network = Network.create(one, spec, seed)) {
      long held = one.memory().current();
      try (Network second = Network.create(other, spec, seed)) {
        second.evaluate(batch.samples());
        assertEquals(held, one.memory().peak());
        assertEquals(held, other.memory().current());
      }
      assertEquals(0, other.memory().current());
      network.evaluate(batch.samples());
      assertTrue(one.memory().peak() > held);
    }
  }

  @SafeVarargs
  private static long least(List<TensorView>... views) {
    long sum = 0;
    for (List<TensorView> each : views) {
      sum += each.stream().mapToLong(TensorView::byteSize).sum();
    }
    return sum;
  }
}
