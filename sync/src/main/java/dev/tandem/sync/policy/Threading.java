package dev.tandem.sync.policy;

/** Which threads a synchroniser works in. */
public enum Threading {
  /** A thread of its own for the background. */
  OWN,
  /**
   * Lightweight threads that share the carriers of the JVM with other lightweight ones, such as
   * those of a loader: no more than cores, however many there are of them. (The thread that
   * computes stays what it is.)
   */
  SHARED_POOL;

  /** A thread of this kind, not started yet. */
  public Thread.Builder builder() {
    return switch (this) {
      case OWN -> Thread.ofPlatform().daemon();
      case SHARED_POOL -> Thread.ofVirtual();
    };
  }
}
