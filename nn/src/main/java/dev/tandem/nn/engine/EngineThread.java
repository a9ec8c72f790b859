package dev.tandem.nn.engine;

import java.util.Objects;
import java.util.function.Supplier;

/** What the engine knows of one calling thread. */
final class EngineThread {

  private static final ThreadLocal<EngineThread> CURRENT =
      ThreadLocal.withInitial(EngineThread::new);

  final CallBlock call = new CallBlock();

  /** The innermost open scope, or null. */
  Scope scope;

  /** Where the tensors that this thread makes are counted. */
  StorageCount storage = new StorageCount();

  /** Threads that compute one operation of this thread; 0 before they are set. */
  int threads;

  /** Where new tensors are: null on the processor. */
  private Accelerator accelerator;

  /** The same as an optional of C++'s. */
  private long device;

  private EngineThread() {
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException("the compute engine needs a platform thread");
    }
    Native.setGradientMode(false);
  }

  static EngineThread current() {
    return CURRENT.get();
  }

  /** This thread makes tensors there from now on; null for the processor. */
  void enter(Accelerator other) {
    if (!Objects.equals(other, accelerator)) {
      if (other != null) {
        other.enter();
      }
      device = other == null ? 0 : device(other);
      accelerator = other;
    }
  }

  /** {@code std::optional<Device>}: two numbers of one byte, and that they are there. */
  private static long device(Accelerator accelerator) {
    return 0x10000L | (accelerator.index() & 0xffL) << 8 | (accelerator.type() & 0xffL);
  }

  void awaitDevice() {
    if (accelerator != null) {
      accelerator.synchronize();
    }
  }

  /** Makes tensors on the processor during some work. */
  <T> T onHost(Supplier<T> work) {
    long before = device;
    device = 0;
    try {
      return work.get();
    } finally {
      device = before;
    }
  }

  long device() {
    return device;
  }

  boolean accelerated() {
    return device != 0;
  }
}
