package dev.tandem.bench.collective;

/**
 * One result of {@code tandem bench collective}.
 *
 * @param peer the contender
 * @param op what was done
 * @param bytes of one rank's data
 * @param medianMicros the slowest rank's time of a call: median of the rounds' medians
 * @param leastMicros of the rounds' medians
 * @param mostMicros of the rounds' medians
 * @param ratioToBestMpi the best MPI setting's time over this one's: above 1 is faster; 0 where
 *     there is none to compare with
 * @param ratioToGloo likewise
 * @param limitShare the time in which all ranks copy as many bytes, over this one's; 0 if not known
 * @param waiterCoreShare of a straggler's call: how much of a core a waiting rank used
 */
public record CollectiveRow(
    String peer,
    String op,
    long bytes,
    int ranks,
    double medianMicros,
    double leastMicros,
    double mostMicros,
    double ratioToBestMpi,
    double ratioToGloo,
    double limitShare,
    double waiterCoreShare,
    int rounds,
    String machine) {}
