package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DropoutTest {

  private static final Shape SAMPLE = Shape.of(4, 10, 10);
  private static final int BATCH = 8;
  private static final int ELEMENTS = 400;

  @Test
  void theMaskDependsOnSeedStepLayerAndSampleAlone() {
    Seed seed = TestSeed.of(DropoutTest.class);
    float[] mask = mask(1, "drop", TrainingStep.of(seed, 4), BATCH);
    assertArrayEquals(mask, mask(2, "drop", TrainingStep.of(seed, 4), BATCH));
    assertFalse(Arrays.equals(mask, mask(1, "drop", TrainingStep.of(seed, 5), BATCH)));
    assertFalse(Arrays.equals(mask, mask(1, "other", TrainingStep.of(seed, 4), BATCH)));
    float[] second = mask(1, "drop", TrainingStep.of(seed, 4).withFirstSample(5), 3);
    assertArrayEquals(Arrays.copyOfRange(mask, 5 * ELEMENTS, 8 * ELEMENTS), second);
  }

  @Test
  void theMeanStays() {
    float[] mask = mask(1, "drop", TrainingStep.of(new Seed(3), 0), BATCH);
    double sum = 0;
    for (float value : mask) {
      sum += value;
    }
    assertEquals(1, sum / mask.length, 0.05);
  }

  /** What dropout makes of ones. */
  private static float[] mask(int threads, String name, TrainingStep step, int batch) {
    try (LayerPasses layer =
        new LayerPasses(
            Engine.start(threads),
            new Dropout(name, 0.25),
            List.of(SAMPLE),
            DType.FLOAT32,
            new Seed(1))) {
      MemorySegment ones = Arena.ofAuto().allocate(4L * batch * ELEMENTS, 64);
      for (int i = 0; i < batch * ELEMENTS; i++) {
        ones.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
      }
      MemorySegment output = Arena.ofAuto().allocate(ones.byteSize(), 64);
      layer.forward(List.of(ones), batch, step, output);
      MemorySegment gradient = Arena.ofAuto().allocate(ones.byteSize(), 64);
      layer.backwardData(ones, List.of(gradient));
      assertEquals(-1, output.mismatch(gradient));
      return output.toArray(ValueLayout.JAVA_FLOAT);
    }
  }
}
