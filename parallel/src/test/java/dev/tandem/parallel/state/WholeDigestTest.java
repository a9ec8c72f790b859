package dev.tandem.parallel.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.parallel.RankThreads;
import dev.tandem.testkit.RandomRegions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WholeDigestTest {

  @Test
  void aSplitStateHasTheDigestOfTheWhole() throws Exception {
    SplittableRandom random = TestSeed.of(WholeDigestTest.class).random();
    for (int ranks = 1; ranks <= 4; ranks++) {
      List<TensorView> wholes = tensors(random);
      // By tensor and rank: a region, a copy of another rank's, or nothing.
      List<List<Region>> held = new ArrayList<>();
      for (TensorView tensor : wholes) {
        int parts = 1 + random.nextInt(ranks);
        List<Region> regions =
            tensor.shape().extents().isEmpty()
                ? List.of(Region.all(tensor.shape()))
                : RandomRegions.split(random, tensor.shape(), parts);
        int stage = random.nextInt(ranks);
        List<Region> byRank = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
          boolean elsewhere = regions.size() == 1 && random.nextBoolean() && rank != stage;
          byRank.add(elsewhere ? null : regions.get(rank % regions.size()));
        }
        held.add(byRank);
      }
      String expected = digest(wholes);
      List<WholeDigest> results =
          RankThreads.run(ranks, communicator -> digest(communicator, wholes, held, false));
      for (WholeDigest result : results) {
        assertTrue(result.identical());
        assertEquals(expected, result.digest());
      }
    }
  }

  @Test
  void aCopyThatDiffersIsNoticed() throws Exception {
    SplittableRandom random = TestSeed.of(WholeDigestTest.class).random();
    List<TensorView> wholes = tensors(random);
    List<List<Region>> held =
        wholes.stream()
            .map(each -> List.of(Region.all(each.shape()), Region.all(each.shape())))
            .toList();
    for (WholeDigest result :
        RankThreads.run(2, communicator -> digest(communicator, wholes, held, true))) {
      assertFalse(result.identical());
    }
  }

  private static WholeDigest digest(
      Communicator communicator, List<TensorView> wholes, List<List<Region>> held, boolean spoil) {
    Map<String, Region> regions = new HashMap<>();
    List<TensorView> own = new ArrayList<>();
    for (int i = 0; i < wholes.size(); i++) {
      TensorView whole = wholes.get(i);
      Region region = held.get(i).get(communicator.rank());
      if (region != null) {
        int size = whole.dtype().bytes();
        byte[] bytes = new byte[(int) (region.local().elements() * size)];
        MemorySegment part = MemorySegment.ofArray(bytes);
        region.forEachRun(
            (from, to, length) ->
                MemorySegment.copy(whole.data(), from * size, part, to * size, length * size));
        if (spoil && i == 0 && communicator.rank() == 1) {
          bytes[0]++;
        }
        own.add(new TensorView(whole.name(), whole.dtype(), region.local(), part));
        regions.put(whole.name(), region);
      }
    }
    return WholeDigest.of(communicator, StateTree.of(own, Map.of()), regions);
  }

  private static List<TensorView> tensors(SplittableRandom random) {
    List<TensorView> tensors = new ArrayList<>();
    List<Shape> shapes =
        List.of(Shape.of(7, 5, 3), Shape.of(9), Shape.of(), Shape.of(4, 6), Shape.of(12, 2));
    for (int i = 0; i < shapes.size(); i++) {
      DType type = i % 2 == 0 ? DType.FLOAT32 : DType.INT64;
      byte[] bytes = new byte[(int) shapes.get(i).elements() * type.bytes()];
      random.nextBytes(bytes);
      tensors.add(new TensorView("tensor" + i, type, shapes.get(i), MemorySegment.ofArray(bytes)));
    }
    return tensors;
  }

  private static String digest(List<TensorView> tensors) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (TensorView tensor : tensors) {
      digest.update(tensor.name().getBytes(StandardCharsets.UTF_8));
      digest.update(tensor.data().asByteBuffer());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
