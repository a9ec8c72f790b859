package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassCountsTest {

  /** With few classes all pairs are counted, with many only those right. */
  @ParameterizedTest
  @ValueSource(ints = {3, 7, 120})
  void countsAreThoseOfTheAnswers(int classes) {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(4));
    builder.add(new FullyConnected("scores", classes));
    NetworkSpec spec = builder.build(LossKind.SOFTMAX_CROSS_ENTROPY);
    Seed seed = TestSeed.of(ClassCountsTest.class);
    Batches batches = Batches.random(seed, spec, DType.FLOAT32, 200);
    try (Arena arena = Arena.ofConfined();
        Network network = Network.create(Engine.start(1), spec, seed, NetworkOptions.DEFAULT)) {
      ClassCounts counts = new ClassCounts(classes);
      Evaluation evaluation = Evaluation.NONE;
      for (int from = 0; from < 200; from += 80) {
        Batches part = batches.part(from, Math.min(80, 200 - from));
        Samples samples = new Samples(part.images(), part.labels(), part.count());
        evaluation = evaluation.plus(network.evaluate(samples, counts));
      }
      MemorySegment scores = arena.allocate(ValueLayout.JAVA_FLOAT, 200L * classes);
      network.predict(batches.images(), 200, scores);
      long[][] expected = new long[classes][classes];
      long topFive = 0;
      for (int i = 0; i < 200; i++) {
        int label = (int) batches.labels().getAtIndex(ValueLayout.JAVA_LONG, i);
        int best = 0;
        int better = 0;
        for (int k = 0; k < classes; k++) {
          best = score(scores, classes, i, k) > score(scores, classes, i, best) ? k : best;
          better += score(scores, classes, i, k) > score(scores, classes, i, label) ? 1 : 0;
        }
        expected[label][best]++;
        topFive += classes > 5 && better < 5 ? 1 : 0;
      }
      long right = 0;
      for (int label = 0; label < classes; label++) {
        long count = 0;
        for (int answer = 0; answer < classes; answer++) {
          count += expected[label][answer];
          if (counts.confuses()) {
            assertEquals(expected[label][answer], counts.confusion(label, answer));
          }
        }
        assertEquals(count, counts.count(label));
        assertEquals(expected[label][label], counts.right(label));
        right += counts.right(label);
      }
      assertEquals(evaluation.correct(), right);
      assertEquals(topFive, counts.topFive());
    }
  }

  private static float score(MemorySegment scores, int classes, int sample, int label) {
    return scores.getAtIndex(ValueLayout.JAVA_FLOAT, (long) sample * classes + label);
  }
}
