package dev.tandem.servers;

/** The threads of a rank that serve others. */
final class ServingThreads {

  private final int rank;
  private final FailureLatch failures;
  private int running;

  ServingThreads(int rank, FailureLatch failures) {
    this.rank = rank;
    this.failures = failures;
    failures.watchedBy(this);
  }

  void begin(String name, Runnable work) {
    synchronized (this) {
      running++;
    }
    Thread.ofPlatform()
        .daemon()
        .name("tandem-%s-on-%d".formatted(name, rank))
        .start(
            () -> {
              try {
                work.run();
              } finally {
                end();
              }
            });
  }

  private synchronized void end() {
    running--;
    notifyAll();
  }

  /** Waits for all; throws at once if one has failed, because then others may never end. */
  synchronized void await() {
    failures.await(this, () -> running == 0);
    failures.check();
  }
}
