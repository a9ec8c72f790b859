package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.PeerLostException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A rank that leaves ends every algorithm of the others, and their memory is theirs again. */
class LossInAllreduceTest {

  private static final long BYTES = 3_000_000;

  @ParameterizedTest
  @EnumSource
  void everyAlgorithmEndsOverAnyTransport(TestJob.Kind kind) throws Exception {
    for (AllreduceAlgorithm algorithm : AllreduceAlgorithm.values()) {
      if (applies(algorithm, kind)) {
        TestJob.run(kind, 4, communicator -> leaveOrLose(communicator, algorithm));
      }
    }
  }

  private static boolean applies(AllreduceAlgorithm algorithm, TestJob.Kind kind) {
    return switch (algorithm) {
      case FLAT -> kind == TestJob.Kind.THREADS_WITH_BOARD || kind == TestJob.Kind.SHARED_MEMORY;
      case HIERARCHICAL -> kind == TestJob.Kind.HYBRID;
      case GATHERED, DIRECT, RING, DOUBLING, TREE -> true;
    };
  }

  @ParameterizedTest
  @EnumSource(AllreduceAlgorithm.class)
  void everyAlgorithmEndsOnHosts(AllreduceAlgorithm algorithm) throws Exception {
    if (algorithm != AllreduceAlgorithm.FLAT) {
      TestJob.runOnHosts(
          List.of(0, 0, 1, 1), true, communicator -> leaveOrLose(communicator, algorithm));
    }
  }

  private static Void leaveOrLose(Communicator communicator, AllreduceAlgorithm algorithm) {
    // Closing a shared arena fails while anybody uses its memory.
    try (Arena arena = Arena.ofShared()) {
      MemorySegment data = arena.allocate(BYTES, 8);
      if (communicator.rank() == 2) {
        communicator.allreduce(data, DType.INT64, ReduceOp.SUM, algorithm);
        return null;
      }
      // Already the first may throw: a faster rank, in its second, has told everybody of the loss.
      PeerLostException e =
          assertThrows(
              PeerLostException.class,
              () -> {
                while (true) {
                  communicator.allreduce(data, DType.INT64, ReduceOp.SUM, algorithm);
                }
              });
      assertEquals(2, e.lostRank());
    }
    return null;
  }
}
