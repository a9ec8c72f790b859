package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Boxes that overlap reach every place once, and then add to it or not. */
class PlacementTest {

  private static final int SAMPLES = 12;
  private static final long ROWS = 7;
  private static final long COLUMNS = 5;

  @Test
  void everyPlaceIsCopiedOrFilledOnce() {
    SplittableRandom random = TestSeed.of(PlacementTest.class).random();
    for (int round = 0; round < 300; round++) {
      int resultParts = 1 + random.nextInt(2);
      int finer = 1 + random.nextInt(3);
      SampleShare result = new SampleShare(random.nextInt(resultParts), resultParts);
      List<Parcel> parcels = new ArrayList<>();
      for (int peer = 0; peer < 3; peer++) {
        List<Box> boxes = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          int part = result.part() * finer + random.nextInt(finer);
          SampleShare samples = new SampleShare(part, resultParts * finer);
          boxes.add(new Box(samples, List.of(range(random, ROWS), range(random, COLUMNS))));
        }
        parcels.add(new Parcel(peer, boxes));
      }
      check(parcels, result, random.nextBoolean());
    }
  }

  private static Range range(SplittableRandom random, long extent) {
    long length = 1 + random.nextLong(extent);
    return new Range(random.nextLong(extent - length + 1), length);
  }

  private static void check(List<Parcel> parcels, SampleShare result, boolean adds) {
    Placement placement = Placement.of(parcels, Shape.of(ROWS, COLUMNS), result, adds);
    int[] arrivals = new int[(int) (SAMPLES * ROWS * COLUMNS)];
    parcels.forEach(parcel -> parcel.boxes().forEach(box -> mark(arrivals, box)));
    int[] copied = new int[arrivals.length];
    int[] added = new int[arrivals.length];
    placement.rest().forEach(box -> mark(copied, box));
    for (Placement.Placed placed : placement.parcels()) {
      for (int i = 0; i < placed.boxes().size(); i++) {
        Box box = placed.parcel().boxes().get(i);
        for (Placement.Piece piece : placed.boxes().get(i)) {
          for (int d = 0; d < 2; d++) {
            long start = box.ranges().get(d).start() + piece.within().get(d).start();
            assertEquals(piece.target().ranges().get(d).start(), start);
            assertEquals(piece.target().ranges().get(d).length(), piece.within().get(d).length());
          }
          // What is added comes after what was copied.
          mark(piece.adds() ? added : copied, piece.target());
        }
      }
    }
    for (int i = 0; i < arrivals.length; i++) {
      long sample = i / (ROWS * COLUMNS);
      boolean inside =
          sample >= result.from(SAMPLES) && sample < result.from(SAMPLES) + result.count(SAMPLES);
      assertEquals(inside ? 1 : 0, copied[i]);
      assertEquals(adds ? Math.max(0, arrivals[i] - 1) : 0, added[i]);
    }
  }

  private static void mark(int[] places, Box box) {
    long first = box.samples().from(SAMPLES);
    for (long sample = first; sample < first + box.samples().count(SAMPLES); sample++) {
      for (long row = 0; row < box.ranges().get(0).length(); row++) {
        for (long column = 0; column < box.ranges().get(1).length(); column++) {
          long r = box.ranges().get(0).start() + row;
          long c = box.ranges().get(1).start() + column;
          places[(int) ((sample * ROWS + r) * COLUMNS + c)]++;
        }
      }
    }
  }
}
