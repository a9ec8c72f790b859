package dev.tandem.data.read;

/** When a process may have requests under way. Closed with the source that asks it. */
interface IoPermits extends AutoCloseable {

  /** At any time. */
  IoPermits ALWAYS =
      new IoPermits() {
        @Override
        public void acquire() {}

        @Override
        public void release() {}

        @Override
        public void close() {}
      };

  /** Waits until this process may read. */
  void acquire();

  /** Lets another process read. */
  void release();

  @Override
  void close();
}
