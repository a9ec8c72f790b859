package dev.tandem.bench.train;

/**
 * What one side is asked to measure in every round.
 *
 * @param mixed in bfloat16, else in float32
 * @param threads of each rank
 */
record TrainTask(TrainSide side, int ranks, TrainNetwork network, boolean mixed, int threads) {

  private static final int PARALLEL_RANKS = 2;

  static TrainTask alone(TrainSide side, TrainNetwork network, boolean mixed, int threads) {
    return new TrainTask(side, 1, network, mixed, threads);
  }

  /** Two ranks with one thread each. */
  static TrainTask parallel(TrainSide side, TrainNetwork network) {
    return new TrainTask(side, PARALLEL_RANKS, network, false, 1);
  }
}
