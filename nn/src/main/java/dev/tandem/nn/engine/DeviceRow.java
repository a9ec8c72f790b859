package dev.tandem.nn.engine;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.DeviceMemory;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Accelerator.Mark;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A row of float32 on an accelerator as other ranks see it. Borrows the row. */
public final class DeviceRow implements DeviceMemory {

  private final Accelerator device;
  private final Tensor row;
  private final StorageCount count;
  private final Mark computed;
  private final Mark summed;

  /** Marks of copies under way; those of earlier steps are used again. */
  private final List<Mark> copies = new ArrayList<>();

  private int copiesUnderWay;

  /** Parts of other ranks, made with the first sum. */
  private Tensor others;

  /** A row that this thread's engine has made. */
  public DeviceRow(Accelerator device, Tensor row) {
    this.device = device;
    this.row = row;
    count = EngineThread.current().storage;
    computed = device.mark();
    summed = device.mark();
  }

  @Override
  public long bytes() {
    return row.numel() * row.type().bytes();
  }

  @Override
  public String device() {
    return device.name();
  }

  @Override
  public void pin(MemorySegment memory) {
    device.pin(memory);
  }

  @Override
  public void unpin(MemorySegment memory) {
    device.synchronize();
    device.unpin(memory);
  }

  @Override
  public Copy copyOut(long offset, MemorySegment to) {
    if (copiesUnderWay == copies.size()) {
      copies.add(device.mark());
    }
    Mark copied = copies.get(copiesUnderWay++);
    device.record(computed, Lane.COMPUTE);
    device.follow(Lane.EXCHANGE_OUT, computed);
    device.copy(Lane.EXCHANGE_OUT, to.address(), row.address() + offset, to.byteSize());
    device.record(copied, Lane.EXCHANGE_OUT);
    return () -> device.await(copied);
  }

  @Override
  public void copyIn(long offset, MemorySegment from) {
    device.copy(Lane.EXCHANGE_IN, row.address() + offset, from.address(), from.byteSize());
  }

  @Override
  public void sum(long offset, List<MemorySegment> parts, int own) {
    Libtorch.enter(1, count, device);
    device.within(Lane.EXCHANGE_IN, () -> add(offset, parts, own));
  }

  private void add(long offset, List<MemorySegment> parts, int own) {
    try (Scope _ = new Scope()) {
      if (others == null) {
        others = Tensor.empty(row.type(), parts.size() - 1L, row.numel()).retain();
      }
      long length = parts.getFirst().byteSize() / row.type().bytes();
      long first = offset / row.type().bytes();
      List<Tensor> inOrder = new ArrayList<>();
      for (int rank = 0; rank < parts.size(); rank++) {
        if (rank == own) {
          inOrder.add(row.narrow(0, first, length));
        } else {
          Tensor place = others.select(0, rank < own ? rank : rank - 1L).narrow(0, first, length);
          MemorySegment part = parts.get(rank);
          device.copy(Lane.EXCHANGE_IN, place.address(), part.address(), part.byteSize());
          inOrder.add(place);
        }
      }
      Tensor sum = inOrder.getFirst();
      for (int rank = 1; rank < inOrder.size(); rank++) {
        sum.add_(inOrder.get(rank));
      }
      if (own != 0) {
        inOrder.get(own).copy_(sum);
      }
    }
  }

  @Override
  public void join() {
    copiesUnderWay = 0;
    device.record(summed, Lane.EXCHANGE_IN);
    device.follow(Lane.COMPUTE, summed);
  }

  @Override
  public Optional<DirectSum> direct(Communicator ranks) {
    return device instanceof CudaAccelerator cuda
        ? NcclSum.between(ranks, cuda, this::address, computed)
        : Optional.empty();
  }

  private long address(long offset) {
    return row.address() + offset;
  }

  @Override
  public void close() {
    if (others != null) {
      others.release();
    }
  }
}
