package dev.tandem.data.reuse;

import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import java.util.EnumMap;
import java.util.Map;

/** Counts what a rank reads, moves and serves. Thread-safe. */
public final class ReuseMeter {

  private final RankPlaces places;
  private final Map<Level, Long> movedBytes = new EnumMap<>(Level.class);
  private long samplesRead;
  private long bytesRead;
  private long samplesServed;
  private long wireBytes;
  private long reuses;
  private long distanceSum;
  private long shortest = Long.MAX_VALUE;
  private long longest;

  public ReuseMeter(RankPlaces places) {
    this.places = places;
  }

  synchronized void read(long samples, long bytes) {
    samplesRead += samples;
    bytesRead += bytes;
  }

  synchronized void served(long samples) {
    samplesServed += samples;
  }

  synchronized void reused(long distance) {
    reuses++;
    distanceSum += distance;
    shortest = Math.min(shortest, distance);
    longest = Math.max(longest, distance);
  }

  synchronized void moved(int from, int to, long bytes) {
    movedBytes.merge(places.between(from, to), bytes, Long::sum);
  }

  synchronized void exchanged(long bytes) {
    wireBytes += bytes;
  }

  /**
   * What was counted so far.
   *
   * @param epoch samples of an epoch, which is the reuse distance without reuse
   */
  public synchronized ReuseReport report(long epoch) {
    return new ReuseReport(
        samplesRead,
        bytesRead,
        samplesServed,
        movedBytes.isEmpty() ? Map.of() : Map.copyOf(movedBytes),
        wireBytes,
        samplesRead == 0 ? 0 : (double) samplesServed / samplesRead,
        reuses == 0 ? 0 : shortest,
        reuses == 0 ? 0 : (double) distanceSum / reuses,
        longest,
        epoch);
  }
}
