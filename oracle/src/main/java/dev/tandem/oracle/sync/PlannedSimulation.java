package dev.tandem.oracle.sync;

import dev.tandem.core.Seed;
import java.util.Arrays;

/**
 * Buffers leave in an order that all ranks know. A rank's thread sleeps until the awaited buffer is
 * full, wakes (perhaps late) and starts the transfer, which moves data once the last rank has
 * started it; that wait is the device's and keeps no core busy.
 */
final class PlannedSimulation extends SyncSimulation {

  /** When each rank started the last transfer. */
  private final double[] started;

  PlannedSimulation(
      SyncParameters parameters, SimulatedPolicy policy, Workload workload, int ranks, Seed seed) {
    super(parameters, policy, workload, ranks, seed);
    this.started = new double[ranks];
  }

  @Override
  double synchronise() {
    int tensors = workload.network().tensors();
    double planMillis = cluster.protocol().planMicros() / 1e3;
    int perBuffer = (int) Math.max(1, Math.floor(cluster.protocol().fusionBytes() / tensorBytes()));
    for (int from = 0; from < tensors; from += perBuffer) {
      int to = Math.min(tensors, from + perBuffer);
      transfer(start(to * requestMillis(), (to - from) * planMillis), to - from);
    }
    account.busy += tensors * (requestMillis() + planMillis);
    return Arrays.stream(started).sum() / ranks;
  }

  /**
   * When the last rank starts the next buffer's transfer.
   *
   * @param requested milliseconds from the end of computing to the buffer's last request
   * @param managed milliseconds that the thread then spends on the buffer
   */
  private double start(double requested, double managed) {
    double last = Double.NEGATIVE_INFINITY;
    for (int rank = 0; rank < ranks; rank++) {
      double full = computed[rank] + requested;
      double slept = full - started[rank];
      started[rank] = managed + (slept > 0 ? full + late(full, slept) : started[rank]);
      last = Math.max(last, started[rank]);
    }
    return last;
  }
}
