package dev.tandem.comm.collective;

/**
 * All that the cost of a collective depends on besides its data.
 *
 * @param rank whose cost
 * @param layout of the team
 * @param sharedSlots whether the members on this rank's host share slots
 */
public record TeamPosition(int rank, Layout layout, boolean sharedSlots) {

  /**
   * In a team on one host.
   *
   * @param sharedMemory whether the team has shared slots
   */
  public TeamPosition(int rank, int size, boolean sharedMemory) {
    this(rank, Layout.oneHost(size), sharedMemory);
  }

  public int size() {
    return layout.size();
  }

  /** Whether the whole team has shared slots. */
  public boolean sharedMemory() {
    return sharedSlots && !layout.spans();
  }

  /** The rank that lies this far ahead, going round. */
  int ahead(int distance) {
    return (rank + distance) % size();
  }

  int host() {
    return layout.hostOf(rank);
  }

  int localRank() {
    return layout.localRank(rank);
  }

  /** The position among the members on this host. */
  TeamPosition local() {
    return new TeamPosition(localRank(), layout.members(host()).length, sharedSlots);
  }

  /** The position among the members with the same number on the other hosts. */
  TeamPosition sameLocalRank() {
    return new TeamPosition(host(), layout.hosts(), false);
  }
}
