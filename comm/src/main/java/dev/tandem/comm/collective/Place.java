package dev.tandem.comm.collective;

/**
 * All that the cost of a collective depends on besides its data.
 *
 * @param rank whose cost
 * @param size of the team
 * @param sharedMemory whether the team has a board in memory that it shares
 */
public record Place(int rank, int size, boolean sharedMemory) {

  /** The rank that lies so far ahead, going round. */
  int ahead(int distance) {
    return (rank + distance) % size;
  }
}
