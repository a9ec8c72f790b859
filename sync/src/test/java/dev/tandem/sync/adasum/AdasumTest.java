package dev.tandem.sync.adasum;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.sync.GradientReference;
import dev.tandem.sync.Ranks;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdasumTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int[] LENGTHS = {0, 1, 2, 3, 7, 64, 1_025, 3_000};

  /** By rank, the tensors that it ends with. */
  private static List<List<float[]>> run(int size, List<List<float[]>> tensors) throws Exception {
    return Ranks.run(
        size,
        LIMIT,
        communicator -> {
          List<float[]> mine =
              tensors.get(communicator.rank()).stream().map(float[]::clone).toList();
          new Adasum(communicator).run(mine.stream().map(MemorySegment::ofArray).toList());
          communicator.barrier();
          return mine;
        });
  }

  private static List<List<float[]>> random(Seed seed, int ranks) {
    List<List<float[]>> tensors = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      SplittableRandom random = seed.derive(rank).random();
      List<float[]> mine = new ArrayList<>();
      for (int length : LENGTHS) {
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
          values[i] = (float) random.nextDouble(-1, 1.5);
        }
        mine.add(values);
      }
      tensors.add(mine);
    }
    return tensors;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyRankGetsTheSameBitsNearThePlainReference(int size) throws Exception {
    List<List<float[]>> tensors = random(TestSeed.of(getClass()), size);
    List<List<float[]>> results = run(size, tensors);
    for (int i = 0; i < LENGTHS.length; i++) {
      int tensor = i;
      float[] expected =
          GradientReference.adasum(tensors.stream().map(rank -> rank.get(tensor)).toList());
      assertArrayEquals(expected, results.getFirst().get(i), 1e-5f, LENGTHS[i] + " elements");
      for (List<float[]> rank : results) {
        assertArrayEquals(results.getFirst().get(i), rank.get(i), 0f);
      }
    }
  }

  @Test
  void whatTravelsTogetherDoesNotShow() throws Exception {
    List<List<float[]>> tensors = random(TestSeed.of(getClass()), 5);
    List<float[]> together = run(5, tensors).getFirst();
    for (int i = 0; i < LENGTHS.length; i++) {
      int tensor = i;
      List<List<float[]>> one = tensors.stream().map(rank -> List.of(rank.get(tensor))).toList();
      assertArrayEquals(together.get(i), run(5, one).getFirst().getFirst(), 0f);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 6, 8})
  void orthogonalGradientsAreAddedAndEqualOnesAveraged(int size) throws Exception {
    List<List<float[]>> tensors = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      float[] unit = new float[size];
      unit[rank] = rank + 1;
      tensors.add(List.of(unit, new float[] {1, -2, 3}, new float[3]));
    }
    List<float[]> result = run(size, tensors).getFirst();
    for (int i = 0; i < size; i++) {
      assertEquals(i + 1, result.getFirst()[i]);
    }
    assertArrayEquals(new float[] {1, -2, 3}, result.get(1), 0f);
    assertArrayEquals(new float[3], result.get(2), 0f);
  }

  /** A rank without samples gives zeros. */
  @Test
  void zerosChangeNothing() throws Exception {
    float[] gradient = {0.25f, -3, 8};
    List<List<float[]>> tensors = List.of(List.of(new float[3]), List.of(gradient));
    assertArrayEquals(gradient, run(2, tensors).getFirst().getFirst(), 0f);
  }

  @Test
  void theScaleOfAllGradientsIsThatOfTheResult() throws Exception {
    Seed seed = TestSeed.of(getClass());
    List<List<float[]>> tensors = random(seed, 4);
    List<List<float[]>> larger =
        tensors.stream().map(rank -> rank.stream().map(AdasumTest::fourfold).toList()).toList();
    List<float[]> results = run(4, tensors).getFirst();
    List<float[]> fourfold = run(4, larger).getFirst();
    for (int i = 0; i < LENGTHS.length; i++) {
      assertArrayEquals(fourfold(results.get(i)), fourfold.get(i), 0f);
    }
  }

  private static float[] fourfold(float[] values) {
    float[] result = values.clone();
    for (int i = 0; i < result.length; i++) {
      result[i] *= 4;
    }
    return result;
  }
}
