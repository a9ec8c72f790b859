package dev.tandem.sync.compress;

/**
 * What a rank has given to be summed so far.
 *
 * @param tensorBytes of the tensors
 * @param payloadBytes of what was written for them
 */
public record Volume(long tensorBytes, long payloadBytes) {

  /** Nothing yet. */
  public static final Volume NONE = new Volume(0, 0);

  /** How many times smaller they have become; 1 before the first. */
  public double ratio() {
    return payloadBytes == 0 ? 1 : (double) tensorBytes / payloadBytes;
  }
}
