package dev.tandem.data.share;

import dev.tandem.data.load.StallReport;

/** How long a consumer waits for its batches, and uses them. For one thread. */
final class WaitTimes {

  private final long began = System.nanoTime();
  private long wanted;
  private long given;
  private long firstGiven;
  private long waitedNanos;

  /** A batch is wanted; the seconds since the last one was given mean nothing before the first. */
  double wanted() {
    wanted = System.nanoTime();
    return (wanted - given) / 1e9;
  }

  /** It is given; nanoseconds that it took. */
  long given() {
    given = System.nanoTime();
    if (firstGiven == 0) {
      firstGiven = given;
    } else {
      waitedNanos += given - wanted;
    }
    return given - wanted;
  }

  /**
   * What a loader says of its stalls.
   *
   * @param participants of the share, one of which prepares here
   */
  StallReport report(Participants participants) {
    double seconds = Math.max(1e-9, (System.nanoTime() - began) / 1e9);
    double first = firstGiven == 0 ? seconds : (firstGiven - began) / 1e9;
    double busy = participants.own(Participants.BUSY_NANOS) / 1e9;
    double share = Math.clamp(busy / seconds, 0, 1);
    return new StallReport(
        seconds,
        first,
        participants.own(Participants.PREPARED),
        0,
        0,
        Math.clamp(waitedNanos / 1e9 / Math.max(1e-9, seconds - first), 0, 1),
        0,
        share,
        0,
        1 - share);
  }
}
