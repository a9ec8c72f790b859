package dev.tandem.data.reuse;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReuseOrderTest {

  private static final ClusterMap MAP =
      ClusterMap.parse(
          List.of(
              "# three racks",
              "a switch=s1 rack=r1",
              "b switch=s1 rack=r1  # the same switch",
              "",
              "c switch=s2 rack=r1",
              "d switch=s3 rack=r2"),
          "test");

  private static final List<Level> LEVELS = List.of(Level.values());

  /** Two ranks on a, one on each of b, c and d. */
  private static final RankPlaces PLACES = new RankPlaces(List.of("a", "b", "c", "a", "d"), MAP);

  @Test
  void placesAreAsFarApartAsTheMapSays() {
    assertEquals(Level.PROCESS, PLACES.between(0, 0));
    assertEquals(Level.NODE, PLACES.between(0, 3));
    assertEquals(Level.SWITCH, PLACES.between(1, 3));
    assertEquals(Level.RACK, PLACES.between(2, 1));
    assertEquals(Level.MACHINE, PLACES.between(4, 0));
    assertArrayEquals(new int[] {0, 3}, PLACES.group(Level.NODE, 3));
    assertArrayEquals(new int[] {0, 1, 3}, PLACES.group(Level.SWITCH, 0));
    assertArrayEquals(new int[] {0, 1, 2, 3}, PLACES.group(Level.RACK, 2));
    assertArrayEquals(new int[] {4}, PLACES.group(Level.RACK, 4));
    assertArrayEquals(new int[] {0, 1, 2, 3, 4}, PLACES.group(Level.MACHINE, 4));
  }

  @Test
  void badMapsAndPlansAreRefusedWithALine() {
    var e =
        assertThrows(
            UsageException.class, () -> ClusterMap.parse(List.of("", "a rack=1"), "my.map"));
    assertEquals(
        "my.map, line 2: expected HOST switch=NAME rack=NAME, not 'a rack=1'", e.getMessage());
    e = assertThrows(UsageException.class, () -> new RankPlaces(List.of("z"), MAP));
    assertEquals("the cluster map has no line for host z", e.getMessage());
    assertEquals("8:process,node", ReusePlan.parse("8:process,node").toString());
    for (String bad : List.of("", "8", "8:", "x:node", "0:node", "8:galaxy")) {
      assertThrows(UsageException.class, () -> ReusePlan.parse(bad), bad);
    }
  }

  private static ReusePlan plan(SplittableRandom random) {
    List<Level> passes = new ArrayList<>();
    for (int pass = random.nextInt(5); pass > 0; pass--) {
      passes.add(LEVELS.get(random.nextInt(LEVELS.size())));
    }
    return new ReusePlan(random.nextInt(1, 7), passes, random.nextBoolean());
  }

  private static Steps steps(SplittableRandom random) {
    int size = random.nextInt(1, 200);
    EpochEnd end = random.nextBoolean() ? EpochEnd.EXACT : EpochEnd.CIRCULAR;
    SampleOrder order = new SampleOrder(new Seed(random.nextLong()), size, Shuffle.BY_INDEX);
    return new Steps(order, PLACES.ranks() * random.nextInt(1, 12), end);
  }

  @Test
  void everyPassServesTheSamplesOfTheRoundOnceWithinTheGroupsOfItsLevel() {
    Seed seed = TestSeed.of(getClass());
    for (int number = 0; number < 100; number++) {
      SplittableRandom random = seed.derive(number).random();
      ReusePlan plan = plan(random);
      ReuseOrder order = new ReuseOrder(steps(random), plan, PLACES);
      RoundOrder round = order.round(random.nextInt(20));
      int[] all = IntStream.range(0, round.samples()).toArray();
      for (int pass = 0; pass < plan.uses(); pass++) {
        int[] served = new int[0];
        for (int rank = 0; rank < PLACES.ranks(); rank++) {
          int[] list = round.list(pass, rank);
          assertEquals(round.list(0, rank).length, list.length);
          int[] before = served;
          served = IntStream.concat(Arrays.stream(before), Arrays.stream(list)).toArray();
          for (int sample : list) {
            assertEquals(rank, round.holder(pass, sample));
            if (pass > 0) {
              Level apart = PLACES.between(rank, round.holder(pass - 1, sample));
              assertTrue(apart.compareTo(plan.passes().get(pass - 1)) <= 0, plan.toString());
              long distance = round.distance(pass, sample);
              assertTrue(distance > 0 && distance < 2L * round.samples(), "distance " + distance);
            }
          }
        }
        assertArrayEquals(all, Arrays.stream(served).sorted().toArray());
      }
    }
  }

  @Test
  void distancesAverageToARound() {
    Steps steps =
        new Steps(new SampleOrder(new Seed(3), 4_000, Shuffle.BY_INDEX), 100, EpochEnd.EXACT);
    ReusePlan plan = ReusePlan.parse("10:process,machine");
    RoundOrder round = new ReuseOrder(steps, plan, PLACES).round(1);
    for (int pass = 1; pass < plan.uses(); pass++) {
      int own = pass;
      double mean =
          IntStream.range(0, 1_000)
              .mapToLong(sample -> round.distance(own, sample))
              .average()
              .orElseThrow();
      // Offsets of a pass are a permutation of those of the pass before.
      assertEquals(1_000, mean, 1e-9);
    }
  }

  @Test
  void aSawToothBatchDoublesFromPassToPassUpToTheRound() {
    Steps steps =
        new Steps(new SampleOrder(new Seed(3), 1_005, Shuffle.BY_INDEX), 100, EpochEnd.EXACT);
    List<Level> passes = List.of(Level.PROCESS, Level.NODE, Level.MACHINE);
    ReuseOrder order = new ReuseOrder(steps, new ReusePlan(4, passes, true), PLACES);
    List<Integer> batches =
        LongStream.range(0, 9).mapToObj(order::batchOf).toList(); // 4 + 2 + 1 + 1, then new data
    assertEquals(List.of(100, 100, 100, 100, 200, 200, 400, 400, 100), batches);
    assertEquals(400, order.largestStep());
    // The last of three rounds has 200 + 5 samples.
    assertEquals(List.of(205), counts(order.round(2).steps(2)));
    assertEquals(2 * (8 + 8 + (3 + 2 + 1 + 1)), order.stepsFor(2));
    assertEquals(1_005L * 4, order.position(order.stepsFor(1)).sample());
  }

  private static List<Integer> counts(List<Step> steps) {
    return steps.stream().map(Step::count).toList();
  }

  @Test
  void aSawToothBatchIsDividedEvenly() {
    Steps steps =
        new Steps(new SampleOrder(new Seed(3), 1_000, Shuffle.BY_INDEX), 64, EpochEnd.EXACT);
    ReusePlan plan = new ReusePlan(4, List.of(Level.PROCESS), true);
    var e = assertThrows(UsageException.class, () -> new ReuseOrder(steps, plan, PLACES));
    assertEquals(
        "a saw-tooth batch of 64 samples cannot be divided evenly among 5 ranks: change"
            + " batch.global",
        e.getMessage());
  }

  @Test
  void anyServedStepIsFound() {
    Seed seed = TestSeed.of(getClass());
    for (int number = 0; number < 50; number++) {
      SplittableRandom random = seed.derive(number).random();
      ReuseOrder order = new ReuseOrder(steps(random), plan(random), PLACES);
      Position position = Position.START;
      long step = 0;
      for (long round = 0; round < 6; round++) {
        RoundOrder own = order.round(round);
        for (int pass = 0; pass < order.plan().uses(); pass++) {
          for (int within = 0; within < own.steps(pass).size(); within++) {
            assertEquals(new ReuseOrder.Place(round, pass, within), order.locate(step));
            assertEquals(position, order.position(step));
            position = new Step(position, own.steps(pass).get(within).count()).next();
            step++;
          }
        }
      }
    }
  }
}
