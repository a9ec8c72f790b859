package dev.tandem.bench.servers;

/**
 * One result of {@code tandem bench servers}, medians of rounds.
 *
 * @param mode {@code allreduce} (policy buckets), {@code servers} or {@code proxies}
 * @param staleness steps that a rank may be ahead; 0 for allreduce
 * @param late which ranks are late now and then: {@code one} or {@code each}
 * @param ratioToAllreduce of steps a second in the same round: above 1 is faster
 * @param ratioLow of its 95% interval
 * @param ratioHigh of its 95% interval
 * @param localBytesPerStep moved between ranks of one simulated host, all ranks together
 * @param globalBytesPerStep moved between simulated hosts
 * @param bytes {@code counted}, or {@code computed} for a ring through all ranks
 * @param lag steps of the slowest rank that parameters lacked, on average
 * @param samples that each mode has trained on
 * @param topology {@code simulated topology} and what it is
 */
public record ServersRow(
    int ranks,
    String mode,
    int staleness,
    String late,
    double stepsPerSecond,
    double ratioToAllreduce,
    double ratioLow,
    double ratioHigh,
    double localBytesPerStep,
    double globalBytesPerStep,
    String bytes,
    double lag,
    double testLoss,
    double testAccuracy,
    long samples,
    int rounds,
    String topology,
    String machine) {}
