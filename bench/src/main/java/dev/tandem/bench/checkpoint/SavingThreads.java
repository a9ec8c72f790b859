package dev.tandem.bench.checkpoint;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** The threads of this process that write checkpoints in the background. */
final class SavingThreads {

  /** As the package of checkpoints names all of its threads. */
  private static final String NAMES = "checkpoint-";

  /** Of those that copy while training stands still. */
  private static final String COPYING = "checkpoint-copy-";

  private SavingThreads() {}

  /**
   * Seconds of a core that they have used since they began. What the kernel does for them in
   * threads of its own is not in it, nor what threads that have ended did.
   */
  static double cpuSeconds() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long nanoseconds = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null
          && thread.getThreadName().startsWith(NAMES)
          && !thread.getThreadName().startsWith(COPYING)) {
        nanoseconds += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return nanoseconds / 1e9;
  }
}
