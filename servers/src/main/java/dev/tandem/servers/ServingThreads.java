package dev.tandem.servers;

/** The threads of a rank that serve others. */
final class ServingThreads {

  private final int rank;
  private final Fate fate;
  private int running;

  ServingThreads(int rank, Fate fate) {
    this.rank = rank;
    this.fate = fate;
    fate.watchedBy(this);
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
    fate.await(this, () -> running == 0);
    fate.check();
  }
}
