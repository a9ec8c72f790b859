package dev.tandem.nn;

import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Accelerator.Mark;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Copies of batches on a device, made while the device computes: of the batch that is computed, and
 * of the next one. One thread.
 */
final class DeviceInputs implements AutoCloseable {

  /** Pieces begin at multiples of this, as those of the device's own allocations. */
  private static final long ALIGNMENT = 512;

  /** Memory of the host and where its copy is. */
  private record Piece(MemorySegment host, long address) {

    boolean contains(MemorySegment part) {
      return part.address() >= host.address()
          && part.address() + part.byteSize() <= host.address() + host.byteSize();
    }
  }

  private static final class Batch {
    private final Mark free;
    private final Mark filled;
    private final List<Piece> pieces = new ArrayList<>();
    private Tensor memory;

    Batch(Accelerator device) {
      free = device.mark();
      filled = device.mark();
    }
  }

  private final Accelerator device;
  private final Batch[] batches;
  private int newest;

  DeviceInputs(Accelerator device) {
    this.device = device;
    batches = new Batch[] {new Batch(device), new Batch(device)};
  }

  /** Begins to copy these; the copy of the batch before the last one is given up. */
  void stage(List<MemorySegment> parts) {
    newest = 1 - newest;
    Batch batch = batches[newest];
    long bytes = parts.stream().mapToLong(part -> aligned(part.byteSize())).sum();
    if (batch.memory == null || batch.memory.numel() < bytes) {
      release(batch);
      try (Scope _ = new Scope()) {
        batch.memory = Tensor.empty(ScalarType.BYTE, bytes).retain();
      }
    }
    // What has computed with this memory so far is before it is overwritten.
    device.record(batch.free, Lane.COMPUTE);
    device.follow(Lane.UPLOAD, batch.free);
    batch.pieces.clear();
    long address = batch.memory.address();
    for (MemorySegment part : parts) {
      if (part.byteSize() > 0) {
        device.copy(Lane.UPLOAD, address, part.address(), part.byteSize());
        batch.pieces.add(new Piece(part, address));
        address += aligned(part.byteSize());
      }
    }
    device.record(batch.filled, Lane.UPLOAD);
  }

  /** Waits until the newest batch is copied, so that its memory on the host may change. */
  void await() {
    if (!batches[newest].pieces.isEmpty()) {
      device.await(batches[newest].filled);
    }
  }

  /** Where the copy of this memory is, for what is computed from now on; empty if there is none. */
  OptionalLong address(MemorySegment part) {
    for (Batch batch : batches) {
      for (Piece piece : batch.pieces) {
        if (piece.contains(part)) {
          device.follow(Lane.COMPUTE, batch.filled);
          return OptionalLong.of(piece.address() + part.address() - piece.host().address());
        }
      }
    }
    return OptionalLong.empty();
  }

  /** Forgets all copies. */
  void clear() {
    await();
    for (Batch batch : batches) {
      batch.pieces.clear();
    }
  }

  private static void release(Batch batch) {
    if (batch.memory != null) {
      batch.memory.release();
      batch.memory = null;
    }
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  @Override
  public void close() {
    clear();
    for (Batch batch : batches) {
      release(batch);
    }
  }
}
