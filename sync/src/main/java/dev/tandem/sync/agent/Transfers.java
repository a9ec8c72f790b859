package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Signature;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Moves tensors, several as one where they fuse, and tells those who asked. */
final class Transfers {

  private static final long ALIGNMENT = 64;

  private final Communicator communicator;
  private final Intake intake;
  private final SyncObserver observer;
  private long count;
  // Of the transfer under way: when its collective began and ended.
  private long sentNanos;
  private long arrivedNanos;

  Transfers(Communicator communicator, Intake intake, SyncObserver observer) {
    this.communicator = communicator;
    this.intake = intake;
    this.observer = observer;
  }

  /**
   * Transfers tensors that fuse.
   *
   * @param entries what this rank has asked for, by tensor; empty: it has joined and gives zeros
   */
  void run(List<Tensor> tensors, List<Optional<Entry>> entries) {
    long began = System.nanoTime();
    Signature common = tensors.getFirst().signature();
    List<MemorySegment> parts = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      Optional<Entry> entry = entries.get(i);
      parts.add(entry.isPresent() ? weighted(entry.get()) : zeros(tensors.get(i)));
    }
    sentNanos = System.nanoTime();
    switch (common.operation()) {
      case SUM -> {
        if (parts.size() == 1) {
          communicator.allreduce(parts.getFirst(), common.dtype(), ReduceOp.SUM);
        } else {
          communicator.fusedAllreduce(parts, common.dtype(), ReduceOp.SUM);
        }
      }
      case BROADCAST -> communicator.broadcast(parts.getFirst(), common.root());
    }
    arrivedNanos = System.nanoTime();
    parts.forEach(part -> Scaling.scale(part, common.dtype(), common.scale()));
    finish(tensors, entries, began);
  }

  /** Transfers tensors that fill one slice of memory; others lie elsewhere and are copied. */
  void runSlice(
      List<Tensor> tensors, List<Entry> entries, MemorySegment slice, GradientMemory memory) {
    long began = System.nanoTime();
    for (Entry entry : entries) {
      weighted(entry);
      if (!memory.holds(entry.tensor())) {
        memory.place(entry.name()).copyFrom(entry.tensor().data());
      }
    }
    Signature common = tensors.getFirst().signature();
    DType dtype = common.dtype();
    sentNanos = System.nanoTime();
    communicator.allreduce(slice, dtype, ReduceOp.SUM);
    arrivedNanos = System.nanoTime();
    Scaling.scale(slice, dtype, common.scale());
    for (Entry entry : entries) {
      if (!memory.holds(entry.tensor())) {
        entry.tensor().data().copyFrom(memory.place(entry.name()));
      }
    }
    finish(tensors, entries.stream().map(Optional::of).toList(), began);
  }

  private static MemorySegment weighted(Entry entry) {
    MemorySegment data = entry.tensor().data();
    Scaling.scale(data, entry.signature().dtype(), entry.request().weight());
    return data;
  }

  private static MemorySegment zeros(Tensor tensor) {
    return Arena.ofAuto().allocate(tensor.signature().bytes(), ALIGNMENT);
  }

  private void finish(List<Tensor> tensors, List<Optional<Entry>> entries, long began) {
    observer.transferred(
        new Transfer(
            count++,
            tensors.stream().map(Tensor::name).toList(),
            tensors.stream().mapToLong(tensor -> tensor.signature().bytes()).sum(),
            ready(entries).orElse(began),
            began,
            sentNanos,
            arrivedNanos,
            System.nanoTime()));
    entries.forEach(
        entry -> entry.ifPresent(present -> intake.finish(present, Outcome.completed())));
  }

  /** When this rank had asked for all of them, if it asked for any. */
  private static OptionalLong ready(List<Optional<Entry>> entries) {
    return entries.stream().flatMap(Optional::stream).mapToLong(Entry::madeNanos).max();
  }
}
