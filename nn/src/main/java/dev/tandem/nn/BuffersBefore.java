package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The buffers of a network as they were before a step, to undo what the step has changed. Borrows
 * the network; closed before it, by the thread that uses it.
 */
public final class BuffersBefore implements AutoCloseable {

  private final Network network;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment there;

  /** On a device; null on the host. */
  private final Tensor onDevice;

  /** Remembers nothing yet. */
  public BuffersBefore(Network network) {
    this.network = network;
    long bytes = network.onDevice() ? 0 : network.bufferTensors().buffer().byteSize();
    there = arena.allocate(bytes, 64);
    onDevice = network.onDevice() ? network.inScope(() -> everything().zerosLike().retain()) : null;
  }

  private Tensor everything() {
    return network.bufferTensors().everything().orElseThrow();
  }

  /** Remembers the buffers as they are now. */
  public void remember() {
    if (onDevice == null) {
      there.copyFrom(network.bufferTensors().buffer());
    } else {
      network.inScope(() -> onDevice.copy_(everything()));
    }
  }

  /** Makes them what they were. */
  public void restore() {
    if (onDevice == null) {
      network.bufferTensors().buffer().copyFrom(there);
    } else {
      network.inScope(() -> everything().copy_(onDevice));
    }
  }

  @Override
  public void close() {
    if (onDevice != null) {
      onDevice.release();
    }
    arena.close();
  }
}
