package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sending and receiving, over every transport. */
class MessagesTest {

  private static final long LARGE = 64L << 20;
  private static final int GROUPS = 6;
  private static final int TRANSFERS = 60;

  @ParameterizedTest
  @EnumSource
  void twoRanksSendLargeMessagesToEachOtherAtOnce(TestJob.Kind kind) throws Exception {
    TestJob.run(
        kind,
        2,
        communicator -> {
          try (Arena arena = Arena.ofConfined()) {
            int other = 1 - communicator.rank();
            MemorySegment data = arena.allocate(LARGE, 64);
            data.fill((byte) (communicator.rank() + 1));
            MemorySegment received = arena.allocate(LARGE, 64);
            communicator.send(data, other);
            communicator.receive(received, other);
            data.fill((byte) (other + 1));
            assertEquals(-1, data.mismatch(received));
          }
          return null;
        });
  }

  /** As much as a send may leave unreceived. */
  @ParameterizedTest
  @EnumSource
  void aSendDoesNotWaitForAReceiverThatWaitsForSomethingElse(TestJob.Kind kind) throws Exception {
    byte[] message = new byte[4 << 20];
    TestJob.run(
        kind,
        4,
        communicator -> {
          int next = (communicator.rank() + 1) % 4;
          communicator.send(MemorySegment.ofArray(message), next);
          communicator.barrier();
          communicator.receive(MemorySegment.ofArray(message.clone()), (next + 2) % 4);
          return null;
        });
  }

  /**
   * Transfers between random members, started in several overlapping groups at once. All members of
   * a group start theirs in the same order, so nothing may wait for ever.
   */
  @ParameterizedTest
  @EnumSource
  void randomTransfersInManyGroups(TestJob.Kind kind) throws Exception {
    Seed seed = TestSeed.of(MessagesTest.class);
    int ranks = 4;
    TestJob.run(
        kind,
        ranks,
        communicator -> {
          List<Communicator> groups = new ArrayList<>();
          for (int i = 0; i < GROUPS; i++) {
            int[] members = IntStream.range(0, ranks).toArray();
            groups.add(communicator.group(members));
          }
          List<Transfer> mine = new ArrayList<>();
          SplittableRandom random = seed.derive(1).random();
          for (int number = 0; number < GROUPS * TRANSFERS; number++) {
            Transfer transfer = Transfer.random(random, number, ranks);
            if (transfer.concerns(communicator.rank())) {
              mine.add(transfer);
              transfer.start(groups.get(number % GROUPS));
            }
          }
          mine.forEach(transfer -> transfer.check(communicator.rank()));
          groups.forEach(Communicator::close);
          return null;
        });
  }

  /** One message from one rank to another, started and later checked by both. */
  private static final class Transfer {

    private final int number;
    private final int from;
    private final int to;
    private final MemorySegment data;
    private Handle handle;

    private Transfer(int number, int from, int to, int bytes) {
      this.number = number;
      this.from = from;
      this.to = to;
      this.data = MemorySegment.ofArray(new byte[bytes]);
    }

    static Transfer random(SplittableRandom random, int number, int ranks) {
      int from = random.nextInt(ranks);
      int to = (from + random.nextInt(1, ranks)) % ranks;
      return new Transfer(number, from, to, random.nextInt(1 << random.nextInt(1, 21)));
    }

    boolean concerns(int rank) {
      return rank == from || rank == to;
    }

    void start(Communicator group) {
      if (group.rank() == from) {
        fill(data);
        handle = group.start(members -> members.send(data, to));
      } else {
        handle = group.start(members -> members.receive(data, from));
      }
    }

    void check(int rank) {
      handle.await();
      if (rank == to) {
        MemorySegment expected = MemorySegment.ofArray(new byte[(int) data.byteSize()]);
        fill(expected);
        assertEquals(-1, expected.mismatch(data), () -> "transfer " + number);
      }
    }

    private void fill(MemorySegment memory) {
      for (long i = 0; i < memory.byteSize(); i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, (byte) (number * 31L + i * 7 + (i >> 8)));
      }
    }
  }
}
