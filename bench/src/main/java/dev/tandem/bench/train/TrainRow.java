package dev.tandem.bench.train;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One result of {@code tandem bench train}.
 *
 * @param what the case; "case" in JSON
 * @param threads of each rank
 * @param batch samples per rank and step
 * @param imagesPerSecond of all ranks, by the median of the rounds
 * @param peer the side that ours is compared with
 * @param ratio ours over the peer's in the same round, median: above 1 is faster
 * @param exposedBatch samples of each rank in the steps that exposed synchronisation is taken from;
 *     this and all that follows about it is 0 but for ddp
 * @param exposedPairs of such steps, of each side
 * @param exposedMillis by how much a step is longer with synchronisation than its neighbour without
 *     it, median over the pairs; low and high bound the median of a repetition with 95%
 * @param exposedRatio ours over the peer's; 0 if the peer's is not above 0
 * @param machine where it was measured
 */
public record TrainRow(
    @JsonProperty("case") String what,
    String network,
    int threads,
    int ranks,
    int batch,
    double imagesPerSecond,
    double leastImagesPerSecond,
    double mostImagesPerSecond,
    String peer,
    double peerImagesPerSecond,
    double peerLeastImagesPerSecond,
    double peerMostImagesPerSecond,
    double ratio,
    double leastRatio,
    double mostRatio,
    int exposedBatch,
    int exposedPairs,
    double exposedMillis,
    double exposedMillisLow,
    double exposedMillisHigh,
    double peerExposedMillis,
    double peerExposedMillisLow,
    double peerExposedMillisHigh,
    double exposedRatio,
    double exposedRatioLow,
    double exposedRatioHigh,
    int rounds,
    String machine) {}
