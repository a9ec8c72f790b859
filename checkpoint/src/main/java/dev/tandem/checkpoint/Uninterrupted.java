package dev.tandem.checkpoint;

/**
 * Waiting that an interrupt does not end: a half-written checkpoint is of no use, so the interrupt
 * takes effect after it.
 */
final class Uninterrupted {

  private Uninterrupted() {}

  /** Something that waits. */
  interface Waiting {
    void run() throws InterruptedException;
  }

  /** Something that waits and brings something. */
  interface Taking<T> {
    T run() throws InterruptedException;
  }

  static void run(Waiting waiting) {
    var _ =
        take(
            () -> {
              waiting.run();
              return true;
            });
  }

  static <T> T take(Taking<T> taking) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return taking.run();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
