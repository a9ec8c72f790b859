package dev.tandem.oracle.sync;

/**
 * What one rank does in an iteration.
 *
 * @param batch samples of a rank
 * @param inputMillis for which the input pipeline is busy; 0 if data is made up
 * @param samples of all ranks
 */
record Workload(
    NetworkProfile network,
    double batch,
    double computeMillis,
    double inputMillis,
    double samples) {

  /** Samples of all ranks in strong scaling, as published. */
  static final int GLOBAL_BATCH = 24_576;

  /** Nodes of the graph that the engine dispatches in a millisecond of its pass. */
  double nodesPerMilli() {
    return network.nodes() / computeMillis;
  }

  static Workload of(
      ClusterModel cluster, NetworkProfile network, Scaling scaling, int ranks, boolean synthetic) {
    ClusterModel.Engine engine = cluster.engine();
    double batch =
        switch (scaling) {
          case WEAK -> engine.referenceBatch();
          case STRONG -> (double) GLOBAL_BATCH / ranks;
        };
    double relative = batch / engine.referenceBatch();
    double free = engine.batchFreeShare();
    return new Workload(
        network,
        batch,
        engine.computeMillis() * network.relativeCompute() * (free + (1 - free) * relative),
        synthetic ? 0 : cluster.input().millis() * relative,
        batch * ranks);
  }
}
