package dev.tandem.oracle.read;

/**
 * What reading costs on a node.
 *
 * @param windowBytes that a page fault brings along: the read-ahead
 * @param mappedPageSeconds of processor time for each page through a mapping
 * @param requestedPageSeconds of processor time for each page through explicit reads
 * @param wakeSeconds to wake a process and let it find that the page it waits for has not come;
 *     every page that comes does so to every other process of the node that waits in the mapping
 * @param stepSeconds of a cursor from one record to the next in memory
 * @param messageSeconds from one node to another
 * @param requestsInFlight of one reader that asks for much at once
 */
public record ReaderCosts(
    long windowBytes,
    double mappedPageSeconds,
    double requestedPageSeconds,
    double wakeSeconds,
    double stepSeconds,
    double messageSeconds,
    int requestsInFlight) {

  public ReaderCosts {
    if (windowBytes < 1 || requestsInFlight < 1) {
      throw new IllegalArgumentException(
          "windowBytes %d and requestsInFlight %d must be at least 1"
              .formatted(windowBytes, requestsInFlight));
    }
  }
}
