package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * What a rank may be asked for between two steps. All ranks have the same questions.
 *
 * @param stop whether this rank is to end before the run does
 * @param finish whether the run is to end now as if this were its end
 * @param leave whether others wait to join
 * @param report whether it is time to collect what ranks spend and use
 */
public record StopRequests(
    Optional<BooleanSupplier> stop,
    Optional<BooleanSupplier> finish,
    Optional<BooleanSupplier> leave,
    Optional<BooleanSupplier> report) {

  /** What a rank tells the others of its answers. */
  static final long BYTES = 4L * Integer.BYTES;

  /** What all ranks do after a step. */
  public enum Outcome {
    CONTINUE,
    /** Collect what the ranks spend and use, then continue. */
    REPORT,
    /** Save on disk, because a rank was asked to end. */
    STOP,
    /** Evaluate and save, because a listener wants no more. */
    FINISH,
    /** Save, because others wait to join. */
    LEAVE,
    /** Save on disk, because the work cannot go on. */
    FAIL
  }

  /**
   * What all ranks do after a step.
   *
   * @param reason why they fail, as part of a sentence; else empty
   */
  public record Decision(Outcome outcome, String reason) {

    static final Decision CONTINUE = new Decision(Outcome.CONTINUE, "");
    static final Decision REPORT = new Decision(Outcome.REPORT, "");
    static final Decision STOP = new Decision(Outcome.STOP, "");
    static final Decision FINISH = new Decision(Outcome.FINISH, "");
    static final Decision LEAVE = new Decision(Outcome.LEAVE, "");
  }

  /** The same on all ranks: what any of them is asked for; to stop comes first, to leave last. */
  Decision together(Communicator communicator) {
    if (Stream.of(stop, finish, leave, report).allMatch(Optional::isEmpty)) {
      return Decision.CONTINUE;
    }
    int[] asked = {asked(stop), asked(finish), asked(leave), asked(report)};
    communicator.allreduce(MemorySegment.ofArray(asked), DType.INT32, ReduceOp.MAX);
    if (asked[0] > 0) {
      return Decision.STOP;
    }
    if (asked[1] > 0) {
      return Decision.FINISH;
    }
    if (asked[2] > 0) {
      return Decision.LEAVE;
    }
    return asked[3] > 0 ? Decision.REPORT : Decision.CONTINUE;
  }

  /** Whether this rank is asked to end the run, in either way. */
  boolean endAsked() {
    return asked(stop) + asked(finish) > 0;
  }

  private static int asked(Optional<BooleanSupplier> question) {
    return question.isPresent() && question.get().getAsBoolean() ? 1 : 0;
  }
}
