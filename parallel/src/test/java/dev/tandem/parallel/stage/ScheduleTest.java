package dev.tandem.parallel.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Schedule.Direction;
import dev.tandem.parallel.stage.Schedule.Pass;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {

  private static final List<Schedule> ALL =
      List.of(
          new Schedule.Gpipe(), new Schedule.OneForwardOneBackward(), new Schedule.Sequential());

  @Test
  void everyPieceGoesForwardThenBackwardAndBackwardPassesAscend() {
    for (Schedule schedule : ALL) {
      for (int stages = 1; stages <= 6; stages++) {
        for (int microBatches = 1; microBatches <= 9; microBatches++) {
          int pieces = schedule.pieces(microBatches, 7);
          for (int stage = 0; stage < stages; stage++) {
            List<Pass> order = schedule.order(stage, stages, pieces);
            assertEquals(2 * pieces, new HashSet<>(order).size());
            assertEquals(2 * pieces, order.size());
            for (Direction direction : Direction.values()) {
              List<Integer> of =
                  order.stream()
                      .filter(pass -> pass.direction() == direction)
                      .map(Pass::piece)
                      .toList();
              assertEquals(IntStream.range(0, pieces).boxed().toList(), of);
            }
            for (int piece = 0; piece < pieces; piece++) {
              assertTrue(
                  order.indexOf(new Pass(Direction.FORWARD, piece))
                      < order.indexOf(new Pass(Direction.BACKWARD, piece)));
            }
          }
        }
      }
    }
  }

  @Test
  void openPieces() {
    assertEquals(8, new Schedule.Gpipe().open(1, 4, 8));
    for (int stage = 0; stage < 4; stage++) {
      assertEquals(4 - stage, new Schedule.OneForwardOneBackward().open(stage, 4, 8));
      assertEquals(Math.min(2, 4 - stage), new Schedule.OneForwardOneBackward().open(stage, 4, 2));
    }
    assertEquals(1, new Schedule.Sequential().pieces(8, 32));
    assertEquals(3, new Schedule.Gpipe().pieces(8, 3));
  }

  /** Passes of equal length on a clock: waiting is what the formula says, for every schedule. */
  @Test
  void idleShare() {
    for (Schedule schedule : ALL) {
      for (int stages = 1; stages <= 5; stages++) {
        for (int microBatches = 1; microBatches <= 8; microBatches++) {
          int pieces = schedule.pieces(microBatches, 100);
          int length = length(schedule, stages, pieces);
          assertEquals(Schedule.idleShare(stages, pieces), 1 - 2.0 * pieces / length, 1e-12);
        }
      }
    }
  }

  private static int length(Schedule schedule, int stages, int pieces) {
    Map<String, Integer> ends = new HashMap<>();
    int[] done = new int[stages];
    int[] clock = new int[stages];
    int left = stages * 2 * pieces;
    while (left > 0) {
      int before = left;
      for (int stage = 0; stage < stages; stage++) {
        List<Pass> order = schedule.order(stage, stages, pieces);
        while (done[stage] < order.size()) {
          Pass pass = order.get(done[stage]);
          boolean forward = pass.direction() == Direction.FORWARD;
          int from = forward ? stage - 1 : stage + 1;
          Integer ready =
              from < 0 || from == stages ? Integer.valueOf(0) : ends.get(from + " " + pass);
          if (ready == null) {
            break;
          }
          clock[stage] = Math.max(clock[stage], ready) + 1;
          ends.put(stage + " " + pass, clock[stage]);
          done[stage]++;
          left--;
        }
      }
      assertTrue(left < before, "stages wait for each other");
    }
    return clock[0];
  }

  @Test
  void ranksThatAreLateDoNotStopTheOthersForGood() throws Exception {
    SplittableRandom random = TestSeed.of(ScheduleTest.class).random();
    for (int round = 0; round < 6; round++) {
      int stages = random.nextInt(2, 5);
      int pieces = random.nextInt(1, 9);
      Schedule schedule = ALL.get(random.nextInt(2));
      long seed = random.nextLong();
      List<Communicator> ranks = Communicator.threads(stages);
      try (ExecutorService threads = Executors.newFixedThreadPool(stages)) {
        List<Future<Long>> sums = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
          int own = stage;
          Callable<Long> work =
              () -> passes(ranks.get(own), schedule, pieces, new SplittableRandom(seed + own));
          sums.add(threads.submit(work));
        }
        for (Future<Long> sum : sums) {
          long expected = (long) pieces * (pieces - 1) / 2;
          long came = Watchdog.within(Duration.ofMinutes(1), sum::get);
          assertEquals(expected, came);
        }
      }
    }
  }

  /** Hands the numbers of pieces through all stages and back; the sum of those that came back. */
  private static long passes(
      Communicator all, Schedule schedule, int pieces, SplittableRandom random) {
    int stages = all.size();
    int stage = all.rank();
    long sum = 0;
    try (all;
        Arena arena = Arena.ofShared();
        StageGroups groups = StageGroups.of(all, Mesh.of(new Mesh.Axis(Mesh.PIPELINE, stages)))) {
      MemorySegment number = arena.allocate(ValueLayout.JAVA_LONG);
      for (Pass pass : schedule.order(stage, stages, pieces)) {
        for (int i = random.nextInt(200_000); i > 0; i--) {
          Thread.onSpinWait();
        }
        boolean forward = pass.direction() == Direction.FORWARD;
        Optional<StageTransfer> from = forward ? groups.before() : groups.after();
        Optional<StageTransfer> to = forward ? groups.after() : groups.before();
        number.set(ValueLayout.JAVA_LONG, 0, from.isPresent() ? -1 : pass.piece());
        from.ifPresent(
            way -> way.exchange(List.of(), List.of(), List.of(1 - way.rank()), List.of(number)));
        assertEquals(pass.piece(), number.get(ValueLayout.JAVA_LONG, 0));
        to.ifPresent(
            way -> way.exchange(List.of(1 - way.rank()), List.of(number), List.of(), List.of()));
        sum += forward ? 0 : number.get(ValueLayout.JAVA_LONG, 0);
      }
      groups.finish();
      all.barrier();
    }
    return sum;
  }

  @Test
  void unknownWord() {
    UsageException wrong = assertThrows(UsageException.class, () -> Schedule.of("zigzag"));
    assertTrue(wrong.getMessage().contains("gpipe, 1f1b or sequential, not 'zigzag'"));
  }
}
