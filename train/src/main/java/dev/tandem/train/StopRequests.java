package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a rank may be asked for between two steps. All ranks have the same questions.
 *
 * @param stop whether the run is to end before its end
 * @param leave whether others wait to join
 */
public record StopRequests(Optional<BooleanSupplier> stop, Optional<BooleanSupplier> leave) {

  /** What all ranks do after a step. */
  public enum Outcome {
    CONTINUE,
    STOP,
    LEAVE
  }

  /**
   * What all ranks do after a step, and why.
   *
   * @param reason as part of a sentence
   */
  public record Decision(Outcome outcome, String reason) {

    static final Decision CONTINUE = new Decision(Outcome.CONTINUE, "");
  }

  static final String AS_REQUESTED = "as requested";

  /** The same on all ranks: what any of them is asked for; to stop comes before to leave. */
  Decision together(Communicator communicator) {
    if (stop.isEmpty() && leave.isEmpty()) {
      return Decision.CONTINUE;
    }
    int[] asked = {asked(stop), asked(leave)};
    communicator.allreduce(MemorySegment.ofArray(asked), DType.INT32, ReduceOp.MAX);
    if (asked[0] > 0) {
      return new Decision(Outcome.STOP, AS_REQUESTED);
    }
    return asked[1] > 0 ? new Decision(Outcome.LEAVE, AS_REQUESTED) : Decision.CONTINUE;
  }

  private static int asked(Optional<BooleanSupplier> question) {
    return question.isPresent() && question.get().getAsBoolean() ? 1 : 0;
  }
}
