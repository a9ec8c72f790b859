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

  /** A case of each kind: equal hosts, unequal ones, interleaved ones, and all at once. */
  private static final List<List<Integer>> HOSTS =
      List.of(
          List.of(0, 0, 1, 1),
          List.of(0, 0, 0, 1),
          List.of(0, 1, 0, 1),
          List.of(3, 1, 3, 2, 1, 3, 3));

  private static final List<List<Integer>> MORE_HOSTS =
      List.of(
          List.of(0, 1),
          List.of(0, 0, 1),
          List.of(0, 1, 2, 2),
          List.of(0, 0, 1, 1, 2, 2),
          List.of(0, 0, 0, 1, 1, 1, 1, 1));

  @AfterEach
  void forget() {
    Reference.forget();
  }

  private static Stream<Arguments> jobs(List<Integer> ranks) {
    return Arrays.stream(TestJob.Kind.values())
        .flatMap(kind -> ranks.stream().map(number -> Arguments.of(kind, number)));
  }

  /** A power of two, an odd number, and a larger power of two: what algorithms tell apart. */
  static Stream<Arguments> jobs() {
    return jobs(List.of(2, 3, 4));
  }

  static Stream<Arguments> moreJobs() {
    return jobs(List.of(1, 5, 6, 7, 8));
  }

  private static Stream<Arguments> hosts(List<List<Integer>> layouts) {
    return layouts.stream()
        .flatMap(hosts -> Stream.of(Arguments.of(hosts, true), Arguments.of(hosts, false)));
  }

  static Stream<Arguments> hosts() {
    return hosts(HOSTS);
  }

  static Stream<Arguments> moreHosts() {
    return hosts(MORE_HOSTS);
  }

  static List<List<Integer>> largeHosts() {
    return HOSTS.subList(2, HOSTS.size());
  }

  static List<List<Integer>> moreLargeHosts() {
    return MORE_HOSTS;
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void smallDataOfEveryTypeAndOperation(TestJob.Kind kind, int ranks) throws Exception {
    small(kind, ranks, types(kind, ranks));
  }

  /**
   * Threads reduce every type in every job. What connects processes moves bytes and knows no types:
   * there each job has a third of them, so that those with 2, 3 and 4 ranks have all.
   */
  private static List<DType> types(TestJob.Kind kind, int ranks) {
    List<DType> all = List.of(DType.values());
    return switch (kind) {
      case THREADS, THREADS_WITH_BOARD -> all;
      case TCP, SHARED_MEMORY, HYBRID ->
          all.stream().filter(type -> all.indexOf(type) % 3 == ranks % 3).toList();
    };
  }

  private static void small(TestJob.Kind kind, int ranks, List<DType> types) throws Exception {
    List<Integer> hosts = TestJob.hosts(kind, ranks);
    TestJob.run(kind, ranks, communicator -> small(communicator, hosts, types));
  }

  @ParameterizedTest
  @MethodSource("hosts")
  void smallDataOnHosts(List<Integer> hosts, boolean sharedSlots) throws Exception {
    List<DType> types = List.of(DType.values());
    TestJob.runOnHosts(hosts, sharedSlots, communicator -> small(communicator, hosts, types));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource({"jobs", "moreJobs"})
  void smallDataInMoreJobs(TestJob.Kind kind, int ranks) throws Exception {
    small(kind, ranks, List.of(DType.values()));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreHosts")
  void smallDataOnMoreHosts(List<Integer> hosts, boolean sharedSlots) throws Exception {
    smallDataOnHosts(hosts, sharedSlots);
  }

  private static Void small(Communicator communicator, List<Integer> hosts, List<DType> types) {
    for (int count : SMALL) {
      for (DType type : types) {
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
  @MethodSource("largeHosts")
  void largeDataOnHosts(List<Integer> hosts) throws Exception {
    int turn = hosts.hashCode() & 0xff;
    for (boolean sharedSlots : new boolean[] {true, false}) {
      TestJob.runOnHosts(hosts, sharedSlots, communicator -> large(communicator, hosts, turn));
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreJobs")
  void largeDataInMoreJobs(TestJob.Kind kind, int ranks) throws Exception {
    largeData(kind, ranks);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreLargeHosts")
  void largeDataOnMoreHosts(List<Integer> hosts) throws Exception {
    largeDataOnHosts(hosts);
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
  @MethodSource({"jobs", "moreJobs"})
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
  @MethodSource({"hosts", "moreHosts"})
  void largeDataOfEveryTypeAndOperationOnHosts(List<Integer> hosts, boolean sharedSlots)
      throws Exception {
    for (DType type : DType.values()) {
      for (ReduceOp op : ReduceOp.values()) {
        TestJob.runOnHosts(
            hosts, sharedSlots, communicator -> everything(communicator, hosts, type, op));
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
