package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Outcome;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Follows a plan: sleeps until the awaited buffer is complete, transfers it, and awaits the next;
 * after the last comes the first again, of the next step.
 *
 * <p>{@code Note [leaving a plan]}: a program may do what its plan did not foresee: request a
 * tensor that is not in it or has another shape, leave one out, run out of data, shut down. Each
 * transfer is therefore headed by a conjunction over all ranks of a few words: the plan's hash with
 * the number of the transfer, and whether the rank goes on. A rank that cannot complete the awaited
 * buffer objects in the head of that very transfer. All ranks come there, since each either
 * completes the buffer or loses patience; so all leave at the same buffer, with nothing of it
 * changed, hand what they have to the negotiation, and plan again after some stable steps. The head
 * costs one small message and saves the transfer's own waiting: ranks leave it together.
 */
final class PlannedTransfers implements Mode {

  private static final int HASH = 0;
  private static final int INVERSE_HASH = 1;
  private static final int FLAGS = 2;
  private static final long GO_ON = 1;
  private static final long NOBODY_SHUTS_DOWN = 2;

  private final FusionPlan plan;
  private final PlanAgreement site;
  private final Negotiation fallback;
  private final List<Optional<MemorySegment>> slices;
  private int next;
  private long transfer;

  PlannedTransfers(FusionPlan plan, PlanAgreement site, Negotiation fallback) {
    this.plan = plan;
    this.site = site;
    this.fallback = fallback;
    this.slices =
        site.memory()
            .map(memory -> memory.slices(plan))
            .orElseGet(() -> Collections.nCopies(plan.buffers().size(), Optional.empty()));
  }

  @Override
  public void awaitWork() {
    long began = System.nanoTime();
    OptionalLong complete = site.queue().awaitBuffer(site.leaving());
    // The thread meant to sleep until the last request of the buffer was made.
    if (complete.isPresent() && complete.getAsLong() - began > 0) {
      site.observer().slept(complete.getAsLong() - began, began, System.nanoTime());
    }
  }

  @Override
  public Optional<Mode> work() {
    Optional<BufferState> state = site.queue().bufferState(site.leaving());
    if (state.isEmpty()) {
      return Optional.of(this);
    }
    long flags = head(state.get());
    if ((flags & NOBODY_SHUTS_DOWN) == 0) {
      site.queue().close(new Outcome.Aborted("a rank has shut the synchroniser down"));
      return Optional.empty();
    }
    if ((flags & GO_ON) == 0) {
      site.observer()
          .remark("the plan is left at buffer %d: %s".formatted(next, reason(state.get())));
      site.queue().leave();
      return Optional.of(fallback);
    }
    transfer();
    next = (next + 1) % plan.buffers().size();
    return Optional.of(this);
  }

  /** What all ranks say. */
  private long head(BufferState state) {
    long hash = FusionPlan.mix(plan.hash(), ++transfer);
    long[] words = new long[FLAGS + 1];
    words[HASH] = hash;
    words[INVERSE_HASH] = ~hash;
    words[FLAGS] =
        switch (state) {
          case COMPLETE -> GO_ON | NOBODY_SHUTS_DOWN;
          case SHUTDOWN -> 0;
          case UNPLANNED_REQUEST, MISSING_REQUEST, OTHER_PLANS -> NOBODY_SHUTS_DOWN;
        };
    site.control().and(words);
    if (words[HASH] != hash || words[INVERSE_HASH] != ~hash) {
      throw new IllegalStateException(
          "ranks follow different plans at buffer %d: this is a bug".formatted(next));
    }
    return words[FLAGS];
  }

  private void transfer() {
    List<Tensor> tensors = plan.buffers().get(next);
    List<PendingRequest> entries = site.queue().take(next);
    if (slices.get(next).isPresent()) {
      site.transfers()
          .runSlice(tensors, entries, slices.get(next).get(), site.memory().orElseThrow());
    } else {
      site.transfers().run(tensors, entries.stream().map(Optional::of).toList());
    }
  }

  private String reason(BufferState state) {
    return switch (state) {
      case COMPLETE -> "another rank cannot complete it";
      case UNPLANNED_REQUEST -> "this rank requests a tensor that was not planned";
      case MISSING_REQUEST ->
          "this rank lacks " + String.join(", ", site.queue().missing(next, plan));
      case OTHER_PLANS -> "this rank has joined or has a new graph";
      case SHUTDOWN -> "this rank shuts down";
    };
  }
}
