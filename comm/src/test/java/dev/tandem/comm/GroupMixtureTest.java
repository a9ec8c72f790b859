package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random mixtures of started collectives in several overlapping groups at once, served by every
 * rank in an order of its own: no group may hold up another, and nothing may get mixed up.
 */
class GroupMixtureTest {

  private static final int RANKS = 5;
  private static final int OPERATIONS = 25;

  @ParameterizedTest
  @EnumSource
  void mixturesOverAnyTransport(TestJob.Kind kind) throws Exception {
    Seed seed = TestSeed.of(GroupMixtureTest.class);
    TestJob.run(kind, RANKS, communicator -> mix(communicator, seed));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mixturesOnHosts(boolean boards) throws Exception {
    Seed seed = TestSeed.of(GroupMixtureTest.class);
    TestJob.runOnHosts(List.of(0, 0, 1, 1, 1), boards, communicator -> mix(communicator, seed));
  }

  private static Void mix(Communicator communicator, Seed seed) {
    List<Member> members = new ArrayList<>();
    List<int[]> plans = plans(seed.derive(1).random());
    for (int i = 0; i < plans.size(); i++) {
      int[] plan = plans.get(i);
      if (IntStream.of(plan).anyMatch(rank -> rank == communicator.rank())) {
        Communicator from = i % 2 == 0 ? communicator : communicator.at(Determinism.FAST);
        members.add(new Member(from.group(plan), seed.derive(10 + i).random(), plan));
      }
    }
    SplittableRandom random = seed.derive(100 + communicator.rank()).random();
    List<Member> busy = new ArrayList<>(members);
    while (!busy.isEmpty()) {
      Member member = busy.get(random.nextInt(busy.size()));
      member.startNext();
      if (member.started == OPERATIONS) {
        busy.remove(member);
      } else if (random.nextInt(8) == 0) {
        // Never waits: what this group waits for may be what others start only after this rank did.
        member.checkWhatIsDone();
      }
    }
    members.forEach(Member::awaitAll);
    members.forEach(member -> member.group.close());
    communicator.barrier();
    return null;
  }

  /** Everybody, and random subsets in random order. */
  private static List<int[]> plans(SplittableRandom random) {
    List<int[]> plans = new ArrayList<>();
    plans.add(IntStream.range(0, RANKS).toArray());
    for (int i = 0; i < 5; i++) {
      List<Integer> ranks = new ArrayList<>();
      while (ranks.size() < 2 + i % (RANKS - 1)) {
        int rank = random.nextInt(RANKS);
        if (!ranks.contains(rank)) {
          ranks.add(rank);
        }
      }
      plans.add(ranks.stream().mapToInt(Integer::intValue).toArray());
    }
    return plans;
  }

  /** This rank in one group; all members draw the same random numbers. */
  private static final class Member {

    private final Communicator group;
    private final SplittableRandom random;
    private final int[] plan;
    private final List<Handle> handles = new ArrayList<>();
    private final List<Runnable> checks = new ArrayList<>();
    private int started;
    private int awaited;

    Member(Communicator group, SplittableRandom random, int[] plan) {
      this.group = group;
      this.random = random;
      this.plan = plan;
    }

    void checkWhatIsDone() {
      while (awaited < handles.size() && handles.get(awaited).test()) {
        checks.get(awaited++).run();
      }
    }

    void awaitAll() {
      handles.forEach(Handle::await);
      checkWhatIsDone();
    }

    void startNext() {
      int operation = started++;
      int kind = random.nextInt(7);
      int count = random.nextInt(1 << random.nextInt(1, 16));
      int root = random.nextInt(group.size());
      switch (kind) {
        case 0, 1 -> {
          long[] data = values(group.rank(), operation, count);
          start(
              members -> members.allreduce(of(data), DType.INT64, ReduceOp.SUM),
              () -> assertArrayEquals(sums(operation, count), data));
        }
        case 2 -> {
          long[] data = values(group.rank(), operation, count);
          start(
              members -> members.broadcast(of(data), root),
              () -> assertArrayEquals(values(root, operation, count), data));
        }
        case 3 -> {
          long[] all = new long[count * group.size()];
          long[] mine = values(group.rank(), operation, count);
          start(
              members -> members.allgather(of(mine), of(all)),
              () -> assertArrayEquals(everybody(operation, count), all));
        }
        case 4 -> {
          long[] data = values(group.rank(), operation, count);
          start(
              members -> members.reduce(of(data), DType.INT64, ReduceOp.SUM, root),
              () -> {
                if (group.rank() == root) {
                  assertArrayEquals(sums(operation, count), data);
                }
              });
        }
        case 5 -> {
          long[] out = values(group.rank(), operation, group.size() * count);
          long[] in = new long[out.length];
          start(
              members -> members.allToAll(of(out), of(in)),
              () -> {
                for (int rank = 0; rank < group.size(); rank++) {
                  long[] theirs = values(rank, operation, group.size() * count);
                  assertArrayEquals(
                      Arrays.copyOfRange(theirs, group.rank() * count, (group.rank() + 1) * count),
                      Arrays.copyOfRange(in, rank * count, (rank + 1) * count));
                }
              });
        }
        default -> start(Collectives::barrier, () -> {});
      }
    }

    private void start(Consumer<Collectives> operation, Runnable check) {
      handles.add(group.start(operation));
      checks.add(check);
    }

    private long[] values(int rank, int operation, int count) {
      return LongStream.range(0, count)
          .map(i -> i * 31 + plan[rank] * 1_000_003L + operation * 7_919L + plan.length)
          .toArray();
    }

    private long[] sums(int operation, int count) {
      long[] sums = new long[count];
      for (int rank = 0; rank < plan.length; rank++) {
        long[] values = values(rank, operation, count);
        for (int i = 0; i < count; i++) {
          sums[i] += values[i];
        }
      }
      return sums;
    }

    private long[] everybody(int operation, int count) {
      return IntStream.range(0, plan.length)
          .mapToObj(rank -> values(rank, operation, count))
          .flatMapToLong(LongStream::of)
          .toArray();
    }

    private static MemorySegment of(long[] data) {
      return MemorySegment.ofArray(data);
    }
  }
}
