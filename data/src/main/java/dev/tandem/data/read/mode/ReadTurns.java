package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.RequestThreads;

/** When a root may have requests under way. Called by its planning thread. */
interface ReadTurns {

  /** At any time. */
  ReadTurns ALWAYS =
      new ReadTurns() {
        @Override
        public void begin(long iteration) {}

        @Override
        public void end(long nextIteration, RequestThreads threads) {}

        @Override
        public void finish(RequestThreads threads) {}

        @Override
        public long waited() {
          return 0;
        }
      };

  /** Waits until requests of this iteration may be submitted. */
  void begin(long iteration);

  /** Requests of all iterations before this one are submitted. */
  void end(long nextIteration, RequestThreads threads);

  /** All requests are submitted. */
  void finish(RequestThreads threads);

  /** Nanoseconds spent waiting for a turn. */
  long waited();
}
