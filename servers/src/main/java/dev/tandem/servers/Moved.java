package dev.tandem.servers;

/**
 * Bytes that ranks have sent to each other, headers counted; what stays within a rank is not moved.
 *
 * @param near between ranks that are near each other, as the layout has it
 * @param far between others
 */
public record Moved(long near, long far) {

  public static final Moved NOTHING = new Moved(0, 0);

  public Moved plus(Moved other) {
    return new Moved(near + other.near, far + other.far);
  }

  public Moved since(Moved earlier) {
    return new Moved(near - earlier.near, far - earlier.far);
  }
}
