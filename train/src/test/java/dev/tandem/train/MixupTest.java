package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MixupTest {

  private final SplittableRandom random = TestSeed.of(getClass()).random();

  private Samples samples(Arena arena, int count, int values) {
    MemorySegment inputs = arena.allocate(4L * count * values, 64);
    MemorySegment labels = arena.allocate(8L * count, 64);
    for (int i = 0; i < count * values; i++) {
      inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat());
    }
    for (int i = 0; i < count; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(10));
    }
    return new Samples(inputs, labels, count);
  }

  @Test
  void inputsAndTargetsAreMixedWithThoseOfThePartner() {
    int count = random.nextInt(2, 9);
    int values = random.nextInt(1, 50);
    try (Arena arena = Arena.ofConfined()) {
      Samples plain = samples(arena, count, values);
      Mixup mixup = new Mixup(0.4, new Seed(random.nextLong()));
      double sum = 0;
      int steps = 500;
      for (int step = 0; step < steps; step++) {
        Samples mixed = mixup.mixed(plain, arena, step, 3);
        double weight = mixed.second().orElseThrow().weight();
        assertTrue(weight >= 0 && weight <= 0.5, "weight " + weight);
        sum += weight;
        for (int i = 0; i < count; i++) {
          int other = count - 1 - i;
          assertEquals(
              plain.targets().getAtIndex(ValueLayout.JAVA_LONG, other),
              mixed.second().get().targets().getAtIndex(ValueLayout.JAVA_LONG, i));
          for (int at = 0; at < values; at++) {
            double one = plain.inputs().getAtIndex(ValueLayout.JAVA_FLOAT, i * values + at);
            double two = plain.inputs().getAtIndex(ValueLayout.JAVA_FLOAT, other * values + at);
            assertEquals(
                (1 - weight) * one + weight * two,
                mixed.inputs().getAtIndex(ValueLayout.JAVA_FLOAT, i * values + at),
                1e-6);
          }
        }
        assertEquals(
            weight, mixup.mixed(plain, arena, step, 3).second().get().weight(), "same place");
      }
      // The mean of min(x, 1 - x) for a beta distribution with 0.4 twice is 0.160.
      assertEquals(0.16, sum / steps, 0.04);
    }
  }

  /** The loss and its gradients are the mixture of those by both targets. */
  @Test
  void lossesAreMixed() {
    try (Arena arena = Arena.ofConfined();
        Network network = ThreadRanks.network(TestConfigs.digits())) {
      Samples first = samples(arena, 6, 28 * 28);
      MemorySegment labels = samples(arena, 6, 1).targets();
      Samples second = new Samples(first.inputs(), labels, 6);
      double weight = random.nextDouble();
      TrainingStep step = TrainingStep.of(new Seed(1), 0);
      double one = network.forwardBackward(first, step);
      List<float[]> ones = gradients(network);
      double two = network.forwardBackward(second, step);
      List<float[]> twos = gradients(network);
      double mixed =
          network.forwardBackward(
              new Samples(
                  first.inputs(),
                  first.targets(),
                  6,
                  Optional.of(new Samples.Second(labels, weight))),
              step);
      assertEquals((1 - weight) * one + weight * two, mixed, 1e-5);
      List<float[]> all = gradients(network);
      for (int i = 0; i < all.size(); i++) {
        for (int at = 0; at < all.get(i).length; at++) {
          assertEquals(
              (1 - weight) * ones.get(i)[at] + weight * twos.get(i)[at], all.get(i)[at], 1e-4);
        }
      }
    }
  }

  private static List<float[]> gradients(Network network) {
    List<float[]> rows = new ArrayList<>();
    for (TensorView gradient : network.gradients()) {
      rows.add(gradient.data().toArray(ValueLayout.JAVA_FLOAT));
    }
    return rows;
  }
}
