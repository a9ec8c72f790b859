package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;

/**
 * Neighbours along one axis swap the rims of their parts. A rank that has no neighbour on a side
 * neither sends nor receives there.
 *
 * <p>Communication steps: 2, or none without neighbours. Bytes on the wire: the rims that have a
 * neighbour.
 */
public final class HaloExchange {

  private HaloExchange() {}

  /**
   * One side of a part.
   *
   * @param neighbour the rank there, if there is one
   * @param rim what the neighbour gets
   * @param halo where the neighbour's rim goes
   */
  public record Side(OptionalInt neighbour, MemorySegment rim, MemorySegment halo) {}

  /** Swaps the rims; the neighbours' calls name this rank in turn. */
  public static void run(Team team, Side lower, Side upper) {
    shift(team, lower, upper);
    shift(team, upper, lower);
  }

  /** Everybody's rim goes to one side, so what arrives comes from the other. */
  private static void shift(Team team, Side to, Side from) {
    if (to.neighbour().isPresent() && from.neighbour().isPresent()) {
      team.exchange(to.neighbour().getAsInt(), to.rim(), from.neighbour().getAsInt(), from.halo());
    } else if (to.neighbour().isPresent()) {
      team.send(to.neighbour().getAsInt(), to.rim());
    } else if (from.neighbour().isPresent()) {
      team.receive(from.neighbour().getAsInt(), from.halo());
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Side lower, Side upper) {
    boolean alone = lower.neighbour().isEmpty() && upper.neighbour().isEmpty();
    return alone ? Cost.NOTHING : new Cost(2, sent(lower) + sent(upper));
  }

  private static long sent(Side side) {
    return side.neighbour().isPresent() ? side.rim().byteSize() : 0;
  }
}
