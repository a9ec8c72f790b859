package dev.tandem.comm.launch;

import dev.tandem.comm.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A rank of a test job: the last one takes memory until it is ended. */
public final class HungryRank {

  private HungryRank() {}

  /** Joins and takes, or waits. */
  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      List<MemorySegment> taken = new ArrayList<>();
      while (communicator.rank() == communicator.size() - 1 && taken.size() < 1000) {
        taken.add(Arena.global().allocate(16 << 20).fill((byte) 1));
      }
      communicator.barrier();
    }
  }
}
