package dev.tandem.data.reuse;

import dev.tandem.comm.topology.Level;
import java.util.Locale;
import java.util.Map;

/**
 * What reuse saved a rank and what it cost.
 *
 * @param samplesRead from the storage
 * @param bytesRead values of those
 * @param samplesServed in batches planned so far, some ahead of the consumer
 * @param bytesMoved keys and values sent to other ranks, by how far apart they are
 * @param bytesOnWire sent in exchanges, with what fills blocks up to equal lengths
 * @param reuseFactor samples served for each that was read
 * @param shortestDistance places in the order of all served samples from a use of a sample to its
 *     next use in the round
 * @param meanDistance likewise, on average
 * @param longestDistance likewise, at most
 * @param epochDistance what the distance is without reuse: an epoch
 */
public record ReuseReport(
    long samplesRead,
    long bytesRead,
    long samplesServed,
    Map<Level, Long> bytesMoved,
    long bytesOnWire,
    double reuseFactor,
    long shortestDistance,
    double meanDistance,
    long longestDistance,
    long epochDistance) {

  /** One sentence for a person. */
  public String sentence() {
    long moved = bytesMoved.values().stream().mapToLong(Long::longValue).sum();
    return String.format(
        Locale.ROOT,
        "Every sample read was served %.2f times; %,.1f MB were read and %,.1f MB moved to other"
            + " processes; a sample came again after %,d to %,d samples, %,.0f on average"
            + " (without reuse: %,d).",
        reuseFactor,
        bytesRead / 1e6,
        moved / 1e6,
        shortestDistance,
        longestDistance,
        meanDistance,
        epochDistance);
  }
}
