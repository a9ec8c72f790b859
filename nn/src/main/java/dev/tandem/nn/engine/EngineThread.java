package dev.tandem.nn.engine;

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

  private EngineThread() {
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException("the compute engine needs a platform thread");
    }
    Native.setGradientMode(false);
  }

  static EngineThread current() {
    return CURRENT.get();
  }
}
