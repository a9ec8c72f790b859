package dev.tandem.sync.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.sync.GradientReference;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one rank writes, and what is read of it: on one rank a sum is just that. */
class CodecsTest {

  private static final int[] LENGTHS = {0, 1, 2, 63, 64, 65, 1000, 1023, 1024, 1025, 5000};

  private final Communicator alone = Communicator.alone();

  /** Values that differ much in size, with some that are equal. */
  private static float[] values(SplittableRandom random, int length) {
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      double size = Math.pow(10, random.nextInt(-20, 3));
      values[i] =
          random.nextInt(8) == 0
              ? random.nextInt(-2, 3)
              : (float) (random.nextDouble(-1, 1) * (random.nextBoolean() ? size : 1));
    }
    return values;
  }

  private static CompressionRule always(Compression compression) {
    return new CompressionRule(List.of(), compression, 0);
  }

  private float[] sum(CompressedSum sums, Compression compression, float[] values) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
      long payload =
          sums.run(
              compression,
              List.of(new CompressedSum.Term("tensor", values.length, Optional.of(data))));
      assertEquals(compression.payloadBytes(values.length), payload);
      return data.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"bfloat16", "float16", "top-k:0.003", "top-k", "top-k:0.3", "top-k:1", "one-bit"})
  void everyStepGivesTheBitsOfThePlainReference(String code) {
    Seed seed = TestSeed.of(getClass());
    Compression compression = Compression.of(code);
    for (int length : LENGTHS) {
      GradientReference reference =
          new GradientReference(new GradientRule(Operation.SUM, always(compression)));
      CompressedSum sums = new CompressedSum(alone, new Residuals());
      SplittableRandom random = seed.derive(code).derive(length).random();
      for (int step = 0; step < 6; step++) {
        float[] gradient = values(random, length);
        float[] expected = reference.result("tensor", List.of(gradient), length);
        assertArrayEquals(expected, sum(sums, compression, gradient), 0f, length + " elements");
      }
    }
  }

  /** Whole numbers are added without rounding, so nothing at all may be missing. */
  @ParameterizedTest
  @ValueSource(strings = {"top-k:0.02", "top-k:0.5"})
  void whatWasSentIsTheSumOfGradientsLessTheResidual(String code) {
    SplittableRandom random = TestSeed.of(getClass()).random();
    Compression compression = Compression.of(code);
    Residuals residuals = new Residuals();
    CompressedSum sums = new CompressedSum(alone, residuals);
    int length = 3_000;
    float[] gradients = new float[length];
    float[] sent = new float[length];
    for (int step = 0; step < 50; step++) {
      float[] gradient = new float[length];
      for (int i = 0; i < length; i++) {
        gradient[i] = random.nextInt(-9, 10);
        gradients[i] += gradient[i];
      }
      float[] read = sum(sums, compression, gradient);
      for (int i = 0; i < length; i++) {
        sent[i] += read[i];
      }
    }
    float[] left = residuals.views().getFirst().data().toArray(ValueLayout.JAVA_FLOAT);
    for (int i = 0; i < length; i++) {
      assertEquals(gradients[i] - left[i], sent[i], 0f);
    }
  }

  @Test
  void signsLoseNothingButRoundingEither() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    Residuals residuals = new Residuals();
    CompressedSum sums = new CompressedSum(alone, residuals);
    int length = 2_500;
    double[] gradients = new double[length];
    double[] sent = new double[length];
    for (int step = 0; step < 100; step++) {
      float[] gradient = new float[length];
      for (int i = 0; i < length; i++) {
        gradient[i] = (float) random.nextDouble(-1, 2);
        gradients[i] += gradient[i];
      }
      float[] read = sum(sums, new Compression.OneBit(), gradient);
      for (int i = 0; i < length; i++) {
        sent[i] += read[i];
      }
    }
    float[] left = residuals.views().getFirst().data().toArray(ValueLayout.JAVA_FLOAT);
    for (int i = 0; i < length; i++) {
      // A hundred roundings of numbers below 16.
      assertEquals(gradients[i] - left[i], sent[i], 100 * 1e-6);
      assertTrue(Math.abs(left[i]) < 16, "residuals stay bounded: " + left[i]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bfloat16", "float16", "top-k:0.001", "one-bit"})
  void whatIsNotFiniteIsNotLost(String code) {
    for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
      float[] gradient = new float[2_000];
      gradient[1_234] = bad;
      float[] read = sum(new CompressedSum(alone, new Residuals()), Compression.of(code), gradient);
      assertTrue(!Float.isFinite(read[1_234]), code + " of " + bad + " is " + read[1_234]);
    }
  }

  @Test
  void bfloat16KnowsEveryKindOfNumber() {
    float[] special = {0f, -0f, Float.MIN_VALUE, Float.MAX_VALUE, -Float.MAX_VALUE, 1f, -1.5f};
    float[] read =
        sum(
            new CompressedSum(alone, new Residuals()),
            new Compression.Half(DType.BFLOAT16),
            special);
    assertArrayEquals(
        new float[] {0f, -0f, 0f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1f, -1.5f},
        read,
        0f);
  }

  @Test
  void aStepCanBeTakenBack() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    Residuals residuals = new Residuals();
    CompressedSum sums = new CompressedSum(alone, residuals);
    Compression compression = new Compression.TopK(0.1);
    for (int step = 0; step < 3; step++) {
      sum(sums, compression, values(random, 500));
      residuals.endStep();
    }
    float[] before = left(residuals);
    float[] gradient = values(random, 500);
    float[] first = sum(sums, compression, gradient);
    sum(sums, compression, gradient); // twice in one step
    residuals.endStep();
    residuals.undo();
    assertArrayEquals(before, left(residuals), 0f);
    residuals.undo(); // there is no more to take back
    assertArrayEquals(before, left(residuals), 0f);
    assertArrayEquals(first, sum(sums, compression, gradient), 0f);
  }

  private static float[] left(Residuals residuals) {
    TensorView view = residuals.views().getFirst();
    return view.data().toArray(ValueLayout.JAVA_FLOAT);
  }
}
