package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Questions that all ranks answer together. */
final class Votes {

  private Votes() {}

  /** Whether any rank says yes; nobody does if there is no question. */
  static boolean any(Communicator communicator, Optional<BooleanSupplier> question) {
    if (question.isEmpty()) {
      return false;
    }
    int[] yes = {question.get().getAsBoolean() ? 1 : 0};
    communicator.allreduce(MemorySegment.ofArray(yes), DType.INT32, ReduceOp.MAX);
    return yes[0] > 0;
  }
}
