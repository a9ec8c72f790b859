package dev.tandem.data.reuse;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * What a rank holds during a round: for every pass the records of its list, as soon as they are
 * there. Thread-safe.
 */
final class HeldRound {

  private final RoundOrder order;
  private final int rank;
  private final int firstPass;
  private final DataRecord[] fresh;
  private final List<CompletableFuture<DataRecord[]>> passes = new ArrayList<>();
  private int missing;

  /**
   * A round of which nothing is there.
   *
   * @param firstPass the pass whose records are read from the source: not 0 if a run resumes in the
   *     middle of a round
   */
  HeldRound(RoundOrder order, int uses, int rank, int firstPass) {
    this.order = order;
    this.rank = rank;
    this.firstPass = firstPass;
    this.fresh = new DataRecord[order.list(firstPass, rank).length];
    this.missing = fresh.length;
    for (int pass = 0; pass < uses; pass++) {
      passes.add(new CompletableFuture<>());
    }
    if (missing == 0) {
      passes.get(firstPass).complete(fresh);
    }
  }

  RoundOrder order() {
    return order;
  }

  int firstPass() {
    return firstPass;
  }

  /** Whether records are needed again after a pass. */
  boolean keepsAfter(int pass) {
    return pass + 1 < passes.size();
  }

  /** Records were read, from this place of the first pass's list on. */
  void read(int place, DataRecord[] records) {
    synchronized (this) {
      System.arraycopy(records, 0, fresh, place, records.length);
      missing -= records.length;
      if (missing > 0) {
        return;
      }
    }
    passes.get(firstPass).complete(fresh);
  }

  /** This pass is recomposed from what the rank itself holds. */
  void recomposeAlone(int pass) {
    var _ =
        passes
            .get(pass - 1)
            .thenApply(held -> order.pick(pass, rank, order.bySample(pass - 1, rank, held)))
            .whenComplete(
                (records, failure) -> {
                  if (failure == null) {
                    passes.get(pass).complete(records);
                  } else {
                    passes.get(pass).completeExceptionally(failure);
                  }
                });
  }

  /** The records of a pass, from others or from this rank. */
  void complete(int pass, DataRecord[] records) {
    passes.get(pass).complete(records);
  }

  /** All that wait for records of this round, or will, get this failure. */
  void fail(RuntimeException cause) {
    passes.forEach(pass -> pass.completeExceptionally(cause));
  }

  /** Waits for the records of a pass. */
  DataRecord[] await(int pass) {
    try {
      return passes.get(pass).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new WorkFailedException("samples are missing: " + e.getCause(), e);
    }
  }
}
