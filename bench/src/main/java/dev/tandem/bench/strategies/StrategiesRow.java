package dev.tandem.bench.strategies;

/**
 * One result of {@code tandem bench strategies}, medians of rounds.
 *
 * @param strategy {@code serial}, or how the ranks share the network
 * @param ranks processes with one thread each; serial has one process with as many threads
 * @param oversubscribed whether there are more ranks than cores
 * @param imagesPerSecond of all ranks together
 * @param ratioToData of images per second in the same round to those of data
 * @param ratioToSerial likewise to serial
 * @param computeSeconds of a step, mean of ranks: with packing and unpacking of what travels
 * @param exchangeSeconds in exchanges of activations, most of it waiting for other ranks
 * @param syncSeconds in sums of gradients after the backward pass
 * @param idleSeconds waiting for other stages
 * @param countedBytes that all ranks send in a step
 * @param closedFormBytes by the formulas
 * @param maxRelativeError of the parameters after two steps, against one process
 * @param bitwise whether they are the same bits
 * @param memoryBytes of the rank that needs most, by the formula
 */
public record StrategiesRow(
    String network,
    String strategy,
    int ranks,
    boolean oversubscribed,
    int batch,
    double imagesPerSecond,
    double ratioToData,
    double ratioToSerial,
    double stepSeconds,
    double computeSeconds,
    double exchangeSeconds,
    double syncSeconds,
    double idleSeconds,
    long countedBytes,
    long closedFormBytes,
    double maxRelativeError,
    boolean bitwise,
    long memoryBytes,
    int rounds,
    String machine) {}
