package dev.tandem.oracle.read;

/**
 * A filesystem behind several servers; blocks of files lie on them in turn.
 *
 * @param servers that work side by side
 * @param blockBytes of a block; one request of a client lies within one
 * @param requestSeconds that a server needs for a request, whatever its size
 * @param serverBytesPerSecond that a server reads and sends
 * @param latencySeconds from a client to a server and back
 * @param cachedBytes how far from the request before it, either way, a server has prefetched or
 *     kept the file
 * @param nearSeconds more for a request beyond that
 * @param farSeconds more if it is as far away as can be
 * @param farBytes how far that is, on one server
 */
public record SharedStorage(
    int servers,
    long blockBytes,
    double requestSeconds,
    double serverBytesPerSecond,
    double latencySeconds,
    long cachedBytes,
    double nearSeconds,
    double farSeconds,
    double farBytes) {

  public SharedStorage {
    if (servers < 1 || blockBytes < 1 || serverBytesPerSecond <= 0 || farBytes <= 0) {
      throw new IllegalArgumentException(
          "storage needs servers, a block size, a speed and a size: %d, %d, %s, %s"
              .formatted(servers, blockBytes, serverBytesPerSecond, farBytes));
    }
  }

  int server(long offset) {
    return (int) (offset / blockBytes % servers);
  }

  /**
   * What it costs a server to go to another place of its disk: grows with the root of the distance,
   * as arms of disks move.
   */
  double seekSeconds(long from, long to) {
    double distance = Math.abs((double) to - from);
    if (distance <= cachedBytes) {
      return 0;
    }
    double share = Math.min(1, distance / servers / farBytes);
    return nearSeconds + (farSeconds - nearSeconds) * Math.sqrt(share);
  }
}
