package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a rank may be asked for between two steps. All ranks are given the same questions.
 *
 * @param stop whether the run is to end before its end
 * @param leave whether others wait to join
 */
record StopRequests(Optional<BooleanSupplier> stop, Optional<BooleanSupplier> leave) {

  /** What all ranks do after this step. */
  enum Outcome {
    GO_ON,
    STOP,
    LEAVE
  }

  /** The same on all ranks: what any of them is asked for; to stop comes before to leave. */
  Outcome together(Communicator communicator) {
    if (stop.isEmpty() && leave.isEmpty()) {
      return Outcome.GO_ON;
    }
    int[] requested = {requested(stop), requested(leave)};
    communicator.allreduce(MemorySegment.ofArray(requested), DType.INT32, ReduceOp.MAX);
    if (requested[0] > 0) {
      return Outcome.STOP;
    }
    return requested[1] > 0 ? Outcome.LEAVE : Outcome.GO_ON;
  }

  private static int requested(Optional<BooleanSupplier> question) {
    return question.isPresent() && question.get().getAsBoolean() ? 1 : 0;
  }
}
