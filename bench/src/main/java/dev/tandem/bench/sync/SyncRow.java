package dev.tandem.bench.sync;

/**
 * One result of {@code tandem bench sync}.
 *
 * @param policy how gradients were synchronised; {@code idle}: an idle synchroniser (TOPO) beside a
 *     serial loop, compared with the loop alone
 * @param iterationMillis of a step, median of rounds
 * @param p95Millis that 95% of a round's steps did not exceed, median of rounds
 * @param ratioToBaseline of step times in the same round, median: below 1 is faster than the
 *     spin-and-yield baseline
 * @param ratioLow of its 95% interval
 * @param ratioHigh of its 95% interval
 * @param ratioToBuckets of step times in the same round, median; 0 where not measured
 * @param backgroundCpuShare of a core; 0 with a shared pool, whose threads cannot be told apart
 * @param controlWaitShare of the time that the background thread waited for other ranks
 * @param involuntarySwitchesPerIteration of the background threads; yields count, too
 * @param oversleepMicros that 95% of the background thread's sleeps did not exceed
 */
public record SyncRow(
    String policy,
    String input,
    double cycleMillis,
    double iterationMillis,
    double p95Millis,
    double ratioToBaseline,
    double ratioLow,
    double ratioHigh,
    double ratioToBuckets,
    double backgroundCpuShare,
    double controlWaitShare,
    double involuntarySwitchesPerIteration,
    double oversleepMicros,
    int rounds,
    String machine) {}
