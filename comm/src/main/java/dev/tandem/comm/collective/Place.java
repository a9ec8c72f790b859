package dev.tandem.comm.collective;

/**
 * All that the cost of a collective depends on besides its data.
 *
 * @param rank whose cost
 * @param layout of the team
 * @param boards whether the members on this rank's host share a board
 */
public record Place(int rank, Layout layout, boolean boards) {

  /**
   * In a team on one host.
   *
   * @param sharedMemory whether the team has a board in memory that it shares
   */
  public Place(int rank, int size, boolean sharedMemory) {
    this(rank, Layout.oneHost(size), sharedMemory);
  }

  public int size() {
    return layout.size();
  }

  /** Whether the whole team has a board in memory that it shares. */
  public boolean sharedMemory() {
    return boards && !layout.spans();
  }

  /** The rank that lies so far ahead, going round. */
  int ahead(int distance) {
    return (rank + distance) % size();
  }

  int host() {
    return layout.hostOf(rank);
  }

  int localRank() {
    return layout.localRank(rank);
  }

  /** The place among the members on this host. */
  Place local() {
    return new Place(localRank(), layout.members(host()).length, boards);
  }

  /** The place among the members with the same number on the other hosts. */
  Place column() {
    return new Place(host(), layout.hosts(), false);
  }
}
