package dev.tandem.oracle.sync;

/** One run of the simulator. */
record SyncRun(
    String network, SimulatedPolicy policy, Scaling scaling, boolean synthetic, int ranks) {}
