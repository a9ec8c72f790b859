package dev.tandem.comm.launch;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.comm.rendezvous.GenerationLine.RankAssignment;
import dev.tandem.core.DType;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Sums with whoever is there, from generation to generation, until so many processes are together
 * in a generation of at least this number; then it ends, or fails if it is asked to.
 */
public final class SurvivingRank {

  private SurvivingRank() {}

  /** The generation, the number of processes, and maybe the rank that then fails. */
  public static void main(String[] arguments) {
    int lastGeneration = Integer.parseInt(arguments[0]);
    int together = Integer.parseInt(arguments[1]);
    int failing = arguments.length > 2 ? Integer.parseInt(arguments[2]) : -1;
    System.out.println("pid " + ProcessHandle.current().pid());
    try (GenerationLine line = GenerationLine.of(System.getenv()).orElseThrow()) {
      Optional<RankAssignment> assignment = line.next();
      while (assignment.isPresent()) {
        RankAssignment now = assignment.get();
        try (Communicator ranks = Communicator.join(now)) {
          boolean last = now.generation() >= lastGeneration && ranks.size() == together;
          if (last && ranks.rank() == failing) {
            throw new IllegalStateException("asked to fail");
          }
          work(ranks, now.generation(), line, last && failing < 0);
          if (last) {
            return;
          }
        } catch (PeerLostException e) {
          System.out.println("lost " + e.lostRank());
        } catch (WorkFailedException e) {
          System.out.println("not joined: " + e.getMessage());
        }
        assignment = line.next();
      }
      System.out.println("not needed");
    }
  }

  private static void work(Communicator ranks, int generation, GenerationLine line, boolean last) {
    int[] values = {1, 0};
    boolean told = false;
    while (values[1] == 0) {
      values[0] = 1;
      values[1] = line.wanted() ? 1 : 0;
      ranks.allreduce(MemorySegment.ofArray(values), DType.INT32, ReduceOp.SUM);
      if (!told) {
        System.out.printf("generation %d of %d%n", generation, values[0]);
        told = true;
      }
      if (last) {
        return;
      }
    }
  }
}
