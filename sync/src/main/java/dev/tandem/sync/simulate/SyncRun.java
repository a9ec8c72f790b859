package dev.tandem.sync.simulate;

/** One run of the simulator. */
record SyncRun(
    String network, SimulatedPolicy policy, Scaling scaling, boolean synthetic, int ranks) {}
