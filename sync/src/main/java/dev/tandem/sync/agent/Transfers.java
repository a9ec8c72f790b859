package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.sync.adasum.Adasum;
import dev.tandem.sync.compress.CompressedSum;
import dev.tandem.sync.compress.Ledger;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Operation;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Signature;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Moves tensors, several as one where they fuse, and calls their completions. For one thread. */
final class Transfers {

  private static final long ALIGNMENT = 64;

  private final Communicator communicator;
  private final RequestQueue queue;
  private final SyncObserver observer;
  private final Ledger ledger;
  private final CompressedSum compressed;
  private final Adasum adasum;
  // Transfers so far, the same on all ranks.
  private long count;
  // Of the transfer under way: when its collective began and ended.
  private long sentNanos;
  private long arrivedNanos;

  Transfers(Communicator communicator, RequestQueue queue, SyncObserver observer, Ledger ledger) {
    this.communicator = communicator;
    this.queue = queue;
    this.observer = observer;
    this.ledger = ledger;
    this.compressed = new CompressedSum(communicator, ledger.residuals());
    this.adasum = new Adasum(communicator);
  }

  /**
   * Transfers tensors that fuse.
   *
   * @param entries what this rank has asked for, by tensor; empty: it has joined and gives zeros
   */
  void run(List<Tensor> tensors, List<Optional<PendingRequest>> entries) {
    long began = System.nanoTime();
    Signature common = tensors.getFirst().signature();
    long payload =
        common.operation() == Operation.SUM && !common.plainSum()
            ? runCompressed(common, tensors, entries)
            : runPlain(common, tensors, entries);
    finish(tensors, entries, payload, began);
  }

  private long runPlain(
      Signature common, List<Tensor> tensors, List<Optional<PendingRequest>> entries) {
    List<MemorySegment> parts = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      Optional<PendingRequest> entry = entries.get(i);
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
      case ADASUM -> adasum.run(parts);
      case BROADCAST -> communicator.broadcast(parts.getFirst(), common.root());
    }
    arrivedNanos = System.nanoTime();
    parts.forEach(part -> Scaling.scale(part, common.dtype(), common.scale()));
    return bytes(tensors);
  }

  private long runCompressed(
      Signature common, List<Tensor> tensors, List<Optional<PendingRequest>> entries) {
    List<CompressedSum.Term> terms = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      Tensor tensor = tensors.get(i);
      terms.add(
          new CompressedSum.Term(
              tensor.name(),
              tensor.signature().shape().elements(),
              entries.get(i).map(Transfers::weighted)));
    }
    sentNanos = System.nanoTime();
    long payload = compressed.run(common.compression(), terms);
    arrivedNanos = System.nanoTime();
    terms.forEach(
        term -> term.data().ifPresent(sum -> Scaling.scale(sum, common.dtype(), common.scale())));
    return payload;
  }

  /** Transfers tensors that fill one slice of memory; others lie elsewhere and are copied. */
  void runSlice(
      List<Tensor> tensors,
      List<PendingRequest> entries,
      MemorySegment slice,
      GradientMemory memory) {
    long began = System.nanoTime();
    for (PendingRequest entry : entries) {
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
    for (PendingRequest entry : entries) {
      if (!memory.holds(entry.tensor())) {
        entry.tensor().data().copyFrom(memory.place(entry.name()));
      }
    }
    finish(tensors, entries.stream().map(Optional::of).toList(), bytes(tensors), began);
  }

  private static MemorySegment weighted(PendingRequest entry) {
    MemorySegment data = entry.tensor().data();
    Scaling.scale(data, entry.signature().dtype(), entry.request().weight());
    return data;
  }

  private static MemorySegment zeros(Tensor tensor) {
    return Arena.ofAuto().allocate(tensor.signature().bytes(), ALIGNMENT);
  }

  private static long bytes(List<Tensor> tensors) {
    return tensors.stream().mapToLong(tensor -> tensor.signature().bytes()).sum();
  }

  private void finish(
      List<Tensor> tensors, List<Optional<PendingRequest>> entries, long payload, long began) {
    ledger.add(bytes(tensors), payload);
    observer.transferred(
        new Transfer(
            count++,
            tensors.stream().map(Tensor::name).toList(),
            payload,
            ready(entries).orElse(began),
            began,
            sentNanos,
            arrivedNanos,
            System.nanoTime()));
    entries.forEach(
        entry -> entry.ifPresent(present -> queue.finish(present, Outcome.completed())));
  }

  /** When this rank had asked for all of them, if it asked for any. */
  private static OptionalLong ready(List<Optional<PendingRequest>> entries) {
    return entries.stream().flatMap(Optional::stream).mapToLong(PendingRequest::madeNanos).max();
  }
}
