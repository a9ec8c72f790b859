package dev.tandem.bench.sync;

/**
 * What the kernel has counted for some threads.
 *
 * @param runNanos on a processor
 * @param queuedNanos ready to run, but without one
 * @param involuntarySwitches how often the processor was taken away; yields count, too
 */
record ThreadCounters(long runNanos, long queuedNanos, long involuntarySwitches) {

  static final ThreadCounters NONE = new ThreadCounters(0, 0, 0);

  private static final String SWITCHES = "\nnonvoluntary_ctxt_switches:";

  /** Of one thread: the texts of its files {@code schedstat} and {@code status}. */
  static ThreadCounters of(String schedule, String status) {
    String[] words = schedule.split(" ", -1);
    int at = status.indexOf(SWITCHES) + SWITCHES.length();
    int end = status.indexOf('\n', at);
    String switches = status.substring(at, end < 0 ? status.length() : end).strip();
    return new ThreadCounters(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(switches));
  }

  ThreadCounters plus(ThreadCounters other) {
    return new ThreadCounters(
        runNanos + other.runNanos,
        queuedNanos + other.queuedNanos,
        involuntarySwitches + other.involuntarySwitches);
  }

  ThreadCounters since(ThreadCounters earlier) {
    return new ThreadCounters(
        runNanos - earlier.runNanos,
        queuedNanos - earlier.queuedNanos,
        involuntarySwitches - earlier.involuntarySwitches);
  }
}
