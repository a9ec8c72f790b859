package dev.tandem.servers;

/**
 * Bytes that ranks have sent to each other, headers counted; what stays within a rank is not
 * counted.
 *
 * @param near between ranks that are near each other, as the layout has it
 * @param far between others
 */
public record TrafficBytes(long near, long far) {

  public static final TrafficBytes NOTHING = new TrafficBytes(0, 0);

  public TrafficBytes plus(TrafficBytes other) {
    return new TrafficBytes(near + other.near, far + other.far);
  }

  public TrafficBytes since(TrafficBytes earlier) {
    return new TrafficBytes(near - earlier.near, far - earlier.far);
  }
}
