package dev.tandem.sync.trace;

/**
 * Where the time of a rank's transfers goes, in milliseconds, as means over its last transfers. The
 * five parts follow each other and add up to the life of a transfer, from the moment when this rank
 * has asked for all its tensors to the moment when the sums are in place:
 *
 * @param stallingMillis from then until the last rank has asked for them: other ranks are late
 * @param cycleMillis after that, the time in which the background thread of this rank still sleeps:
 *     the rest of its cycle, and what it oversleeps
 * @param orderingMillis after that, until the transfer is taken up: ranks agree on what comes next,
 *     and transfers that come before it in the order are under way
 * @param copyMillis weighting, copying into one buffer and back, and scaling, on this rank; copies
 *     that a collective makes for itself are part of the transfer
 * @param transferMillis the collective: messages and sums, and waiting for ranks that took the
 *     transfer up later
 */
record SyncSplit(
    double stallingMillis,
    double cycleMillis,
    double orderingMillis,
    double copyMillis,
    double transferMillis) {

  static final int FIGURES = 5;

  double[] toArray() {
    return new double[] {stallingMillis, cycleMillis, orderingMillis, copyMillis, transferMillis};
  }

  static SyncSplit of(double[] figures, int at) {
    return new SyncSplit(
        figures[at], figures[at + 1], figures[at + 2], figures[at + 3], figures[at + 4]);
  }

  double allMillis() {
    return stallingMillis + cycleMillis + orderingMillis + copyMillis + transferMillis;
  }
}
