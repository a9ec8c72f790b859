package dev.tandem.comm;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every collective, and every algorithm and level of determinism of allreduce, over every transport
 * with 1 to 8 ranks and over pretended hosts, for every type and operation, against the plain
 * reference; and the counted steps and bytes against the formulas.
 */
class CollectivesMatrixTest {

  private static final int[] SMALL = {0, 1, 3, 1000};
  private static final int LARGE = (1 << 20) + 7;

  /** More than any transport or algorithm takes at once, which is what large data is there for. */
  private static final int LARGE_BYTES = 2 << 20;

  /** Those that {@link TestJob.Kind#HYBRID} makes as well. */
  private static final List<List<Integer>> HALVES =
      List.of(List.of(0, 1), List.of(0, 0, 1), List.of(0, 0, 1, 1));

  private static final List<List<Integer>> UNEQUAL =
      List.of(
          List.of(0, 0, 0, 1),
          List.of(0, 1, 2, 2),
          List.of(0, 1, 0, 1),
          List.of(0, 0, 1, 1, 2, 2),
          List.of(3, 1, 3, 2, 1, 3, 3),
          List.of(0, 0, 0, 1, 1, 1, 1, 1));

  @AfterEach
  void forget() {
    Reference.forget();
  }

  static Stream<Arguments> jobs() {
    return Arrays.stream(TestJob.Kind.values())
        .flatMap(
            kind ->
                Stream.iterate(1, ranks -> ranks <= 8, ranks -> ranks + 1)
                    .map(ranks -> Arguments.of(kind, ranks)));
  }

  static Stream<Arguments> hosts() {
    return Stream.of(HALVES, UNEQUAL)
        .flatMap(List::stream)
        .flatMap(hosts -> Stream.of(Arguments.of(hosts, true), Arguments.of(hosts, false)));
  }

  static List<List<Integer>> unequalHosts() {
    return UNEQUAL;
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void smallDataOfEveryTypeAndOperation(TestJob.Kind kind, int ranks) throws Exception {
    TestJob.run(kind, ranks, communicator -> small(communicator, TestJob.hosts(kind, ranks)));
  }

  @ParameterizedTest
  @MethodSource("hosts")
  void smallDataOnHosts(List<Integer> hosts, boolean boards) throws Exception {
    TestJob.runOnHosts(hosts, boards, communicator -> small(communicator, hosts));
  }

  private static Void small(Communicator communicator, List<Integer> hosts) {
    for (int count : SMALL) {
      for (DType type : DType.values()) {
        CollectiveCheck check = new CollectiveCheck(communicator, hosts, type, count);
        for (ReduceOp op : ReduceOp.values()) {
          check.reductions(op);
          check.algorithms(op);
        }
        check.movements();
      }
    }
    return null;
  }

  /** Large data takes time: every job checks one type and operation, all jobs together most. */
  @ParameterizedTest
  @MethodSource("jobs")
  void largeData(TestJob.Kind kind, int ranks) throws Exception {
    int turn = List.of(TestJob.Kind.values()).indexOf(kind) * 8 + ranks;
    TestJob.run(kind, ranks, communicator -> large(communicator, TestJob.hosts(kind, ranks), turn));
  }

  /** With and without shared slots in one test: the reference, which takes longest, is the same. */
  @ParameterizedTest
  @MethodSource("unequalHosts")
  void largeDataOnHosts(List<Integer> hosts) throws Exception {
    int turn = hosts.hashCode() & 0xff;
    for (boolean boards : new boolean[] {true, false}) {
      TestJob.runOnHosts(hosts, boards, communicator -> large(communicator, hosts, turn));
    }
  }

  private static Void large(Communicator communicator, List<Integer> hosts, int turn) {
    List<DType> types = List.of(DType.values());
    List<ReduceOp> ops = List.of(ReduceOp.values());
    DType type = types.get(turn % types.size());
    ReduceOp op = ops.get(turn % ops.size());
    int count = Math.min(LARGE, LARGE_BYTES / type.bytes() + 7);
    CollectiveCheck check = new CollectiveCheck(communicator, hosts, type, count);
    check.reductions(op);
    check.algorithms(op);
    new CollectiveCheck(communicator, hosts, DType.UINT8, LARGE).movements();
    return null;
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("jobs")
  void largeDataOfEveryTypeAndOperation(TestJob.Kind kind, int ranks) throws Exception {
    for (DType type : DType.values()) {
      for (ReduceOp op : ReduceOp.values()) {
        TestJob.run(
            kind,
            ranks,
            communicator -> everything(communicator, TestJob.hosts(kind, ranks), type, op));
        forget();
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("hosts")
  void largeDataOfEveryTypeAndOperationOnHosts(List<Integer> hosts, boolean boards)
      throws Exception {
    for (DType type : DType.values()) {
      for (ReduceOp op : ReduceOp.values()) {
        TestJob.runOnHosts(
            hosts, boards, communicator -> everything(communicator, hosts, type, op));
        forget();
      }
    }
  }

  private static Void everything(
      Communicator communicator, List<Integer> hosts, DType type, ReduceOp op) {
    CollectiveCheck check = new CollectiveCheck(communicator, hosts, type, LARGE);
    check.reductions(op);
    check.algorithms(op);
    return null;
  }
}
