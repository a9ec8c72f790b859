package dev.tandem.bench.strategies;

import java.util.List;

/**
 * One result of {@code tandem bench strategies}, medians of rounds.
 *
 * @param strategy {@code serial}, or how the ranks share the network
 * @param ranks processes with one thread each; serial has one process with as many threads
 * @param oversubscribed whether there are more ranks than cores
 * @param imagesPerSecond of all ranks together
 * @param ratioToData of images per second in the same round to those of data
 * @param ratioToSerial likewise to serial
 * @param computeSeconds of a step, mean of ranks: all but the following
 * @param exchangeSeconds in exchanges of activations and sums of normalisations, most of it waiting
 *     for other ranks
 * @param copySeconds of packing and unpacking what travels
 * @param syncSeconds of waiting for sums of gradients, and for parameters that other ranks keep
 * @param idleSeconds waiting for other stages
 * @param countedBytes that all ranks send in a step
 * @param closedFormBytes by the formulas
 * @param maxRelativeError of the parameters after two steps of float64, against one process
 * @param float32RelativeError likewise of float32, of the network with smooth activations and means
 *     in the place of maxima: rounding at kinks would hide what else there is
 * @param bitwise whether those of float32 of the network as it is are the same numbers
 * @param peakBytes that the tensors of the rank that needs most had at most
 * @param closedFormPeakBytes by the formula
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
    double copySeconds,
    double syncSeconds,
    double idleSeconds,
    long countedBytes,
    long closedFormBytes,
    double maxRelativeError,
    double float32RelativeError,
    boolean bitwise,
    long peakBytes,
    long closedFormPeakBytes,
    int rounds,
    List<Layer> layers,
    String machine) {

  /**
   * What a layer takes in a step, in both passes, on the rank that it takes longest.
   *
   * @param copySeconds of packing and unpacking what travels for it
   * @param waitSeconds in transfers for it, most of it waiting for other ranks
   */
  public record Layer(String layer, double computeSeconds, double copySeconds, double waitSeconds) {

    /** All of it. */
    public double seconds() {
      return computeSeconds + copySeconds + waitSeconds;
    }
  }

  public StrategiesRow {
    layers = List.copyOf(layers);
  }
}
