package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.core.DType;
import dev.tandem.core.PeerLostException;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs whose connections are encrypted, with one socket a pair and with two. */
class TlsTest {

  /** The last: more bytes than any transport or algorithm takes at once, of 4 and of 8 bytes. */
  private static final int[] COUNTS = {0, 1, 1000, (1 << 19) + 7};

  @TempDir static Path folder;

  private static TlsKeys keys;

  @BeforeAll
  static void makeKeystore() throws Exception {
    keys = TestKeystore.make(folder, "job").keys();
  }

  @AfterEach
  void forget() {
    Reference.forget();
  }

  /** All on one host: one socket a pair. Each on a host of its own: two. */
  static Stream<List<Integer>> jobs() {
    return IntStream.rangeClosed(1, 4)
        .boxed()
        .flatMap(
            size ->
                Stream.of(
                    IntStream.range(0, size).mapToObj(rank -> 0).toList(),
                    IntStream.range(0, size).boxed().toList()))
        .distinct();
  }

  static Stream<List<Integer>> jobsOfThree() {
    return jobs().filter(hosts -> hosts.size() == 3);
  }

  static Stream<List<Integer>> otherJobs() {
    return jobs().filter(hosts -> hosts.size() != 3);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("otherJobs")
  void collectivesOfMoreAndFewer(List<Integer> hosts) throws Exception {
    collectives(hosts);
  }

  @ParameterizedTest
  @MethodSource("jobsOfThree")
  void collectives(List<Integer> hosts) throws Exception {
    TestJob.runTls(
        keys,
        hosts,
        communicator -> {
          for (int count : COUNTS) {
            CollectiveCheck check = new CollectiveCheck(communicator, hosts, DType.FLOAT32, count);
            check.reductions(ReduceOp.SUM);
            check.algorithms(ReduceOp.SUM);
            check.movements();
          }
          return null;
        });
  }

  @ParameterizedTest
  @MethodSource("jobsOfThree")
  void severalOperationsAtOnceInSeveralGroups(List<Integer> hosts) throws Exception {
    TestJob.runTls(
        keys,
        hosts,
        communicator -> {
          try (Communicator second = communicator.group(0, 1, 2);
              Communicator third = communicator.group(2, 1, 0)) {
            List<Handle> handles = new ArrayList<>();
            List<long[]> results = new ArrayList<>();
            for (int round = 0; round < 2; round++) {
              for (int count : COUNTS) {
                for (Communicator group : List.of(communicator, second, third)) {
                  long[] data = new long[count];
                  Arrays.fill(data, communicator.rank() + 1);
                  results.add(data);
                  handles.add(
                      group.start(
                          all ->
                              all.allreduce(
                                  MemorySegment.ofArray(data), DType.INT64, ReduceOp.SUM)));
                }
              }
            }
            handles.forEach(Handle::await);
            for (long[] data : results) {
              long[] expected = new long[data.length];
              Arrays.fill(expected, 6);
              assertArrayEquals(expected, data);
            }
          }
          return null;
        });
  }

  /** Memory that only its own thread may fill, while others read the same connection. */
  @ParameterizedTest
  @MethodSource("jobsOfThree")
  void threadsWithMemoryOfTheirOwn(List<Integer> hosts) throws Exception {
    long seed = TestSeed.of(TlsTest.class).random().nextLong();
    TestJob.runTls(
        keys,
        hosts,
        communicator -> {
          List<FutureTask<Void>> tasks = new ArrayList<>();
          List<Communicator> groups = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            Communicator group = communicator.group(0, 1, 2);
            long mine = seed + i;
            FutureTask<Void> task =
                new FutureTask<>(() -> exchange(group, new SplittableRandom(mine)));
            Thread.ofPlatform().daemon().start(task);
            tasks.add(task);
            groups.add(group);
          }
          for (FutureTask<Void> task : tasks) {
            task.get();
          }
          groups.forEach(Communicator::close);
          return null;
        });
  }

  private static Void exchange(Communicator group, SplittableRandom random) {
    for (int round = 0; round < 30; round++) {
      long count = random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(2_000);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG, Math.max(1, count));
        data.fill((byte) (group.rank() + 1));
        group.allreduce(data, DType.INT64, ReduceOp.SUM);
        long expected = 6 * 0x0101010101010101L;
        assertEquals(expected, data.getAtIndex(ValueLayout.JAVA_LONG, 0));
        assertEquals(expected, data.get(ValueLayout.JAVA_LONG, data.byteSize() - Long.BYTES));
      }
    }
    return null;
  }

  /** What was sent before leaving arrives, however late it is received. */
  @ParameterizedTest
  @MethodSource("jobsOfThree")
  void leavingLosesNothing(List<Integer> hosts) throws Exception {
    TestJob.runTls(
        keys,
        hosts,
        communicator -> {
          byte[] data = new byte[3_000_000];
          if (communicator.rank() == 2) {
            Arrays.fill(data, (byte) 7);
            communicator.send(MemorySegment.ofArray(data), 0);
            communicator.send(MemorySegment.ofArray(data), 1);
            return null;
          }
          // First the other one, so that rank 2 has left when its message is received.
          byte[] sign = new byte[1];
          communicator.send(MemorySegment.ofArray(sign), 1 - communicator.rank());
          communicator.receive(MemorySegment.ofArray(sign), 1 - communicator.rank());
          communicator.receive(MemorySegment.ofArray(data), 2);
          byte[] expected = new byte[data.length];
          Arrays.fill(expected, (byte) 7);
          assertArrayEquals(expected, data);
          return null;
        });
  }

  @ParameterizedTest
  @MethodSource("jobsOfThree")
  void whoLeavesIsNamed(List<Integer> hosts) throws Exception {
    List<Integer> lost =
        TestJob.runTls(
            keys,
            hosts,
            communicator -> {
              MemorySegment data = MemorySegment.ofArray(new long[200_000]);
              if (communicator.rank() == 1) {
                communicator.allreduce(data, DType.INT64, ReduceOp.SUM);
                return 1;
              }
              // Already the first may throw: a faster rank, in its second, has told of the loss.
              return assertThrows(
                      PeerLostException.class,
                      () -> {
                        while (true) {
                          communicator.allreduce(data, DType.INT64, ReduceOp.SUM);
                        }
                      })
                  .lostRank();
            });
    assertEquals(List.of(1, 1, 1), lost);
  }
}
