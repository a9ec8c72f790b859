package dev.tandem.oracle.search;

import dev.tandem.oracle.projection.Projection;

/**
 * A projected way to train, beside what a device has.
 *
 * @param missingBytes of memory; 0 if it fits
 */
public record Ranked(Projection projection, double missingBytes) implements Comparable<Ranked> {

  /** Whether every device has enough memory. */
  public boolean fits() {
    return missingBytes == 0;
  }

  /** What fits before what does not; then the faster one first, or what misses less. */
  @Override
  public int compareTo(Ranked other) {
    int fitting = Boolean.compare(other.fits(), fits());
    int missing = Double.compare(missingBytes, other.missingBytes);
    int faster = Double.compare(projection.epoch(), other.projection.epoch());
    return fitting != 0 ? fitting : missing != 0 ? missing : faster;
  }
}
