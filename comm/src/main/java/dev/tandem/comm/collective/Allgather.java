package dev.tandem.comm.collective;

import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Gives every rank the blocks of all, in rank order; blocks may differ in length. In shared memory
 * everybody shows its block, one slot after the other; over messages a ring, in which every rank
 * hands on what it got last. On several hosts with several members: first within each host, then
 * the first members of all hosts swap the blocks of their hosts, then each copies what came from
 * others to its host ({@link Broadcast}).
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth of the longest block; over
 * messages n - 1. Bytes on the wire: in shared memory a rank writes its block; over messages it
 * sends all blocks but that of the rank ahead of it. On several hosts: the sum of the three parts.
 */
public final class Allgather {

  private Allgather() {}

  /**
   * Collects the blocks of all.
   *
   * @param mine the block of this rank; may be its place in {@code all}
   * @param all the blocks of all ranks, one after the other
   * @param lengths bytes of every rank's block, the same in all ranks
   */
  public static void run(Team team, MemorySegment mine, MemorySegment all, long[] lengths) {
    Extents extents = new Extents(lengths);
    extents.check(team, mine, all);
    if (team.local().isPresent()) {
      runAcross(team, team.local().get(), mine, all, lengths);
      return;
    }
    MemorySegment.copy(mine, 0, all, extents.offset(team.rank()), mine.byteSize());
    if (team.slots().isPresent()) {
      team.fingerprint(CallFingerprint.of(Allgather.class, lengths, 0));
      runFlat(team, team.slots().get(), mine, all, extents);
      return;
    }
    for (int step = 0; step < team.size() - 1; step++) {
      team.exchange(
          team.ahead(1),
          extents.block(all, team.before(step)),
          team.before(1),
          extents.block(all, team.before(step + 1)));
    }
  }

  private static void runFlat(
      Team team, SharedSlots slots, MemorySegment mine, MemorySegment all, Extents extents) {
    long slot = SharedSlots.slotBytes(team.size());
    for (long from = 0; from < extents.longest(); from += slot) {
      slots.put(Extents.piece(mine, from, slot), 0);
      slots.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment part = Extents.piece(extents.block(all, rank), from, slot);
        part.copyFrom(slots.slot(rank, 0, part.byteSize()));
      }
    }
  }

  private static void runAcross(
      Team team, Team local, MemorySegment mine, MemorySegment all, long[] lengths) {
    Layout layout = team.layout();
    int host = layout.hostOf(team.rank());
    Extents hosts = new Extents(hostLengths(layout, lengths));
    // Host by host; where that is not rank order, in memory of its own.
    MemorySegment sorted = layout.contiguous() ? all : team.result(hosts.total());
    MemorySegment ours = hosts.block(sorted, host);
    run(local, mine, ours, localLengths(layout, host, lengths));
    if (team.hostLeaders().isPresent()) {
      run(team.hostLeaders().get(), ours, sorted, hostLengths(layout, lengths));
    }
    Broadcast.run(local, sorted.asSlice(0, hosts.offset(host)), 0);
    Broadcast.run(local, sorted.asSlice(hosts.offset(host + 1)), 0);
    if (!layout.contiguous()) {
      sortByRank(layout, sorted, all, lengths);
    }
  }

  private static void sortByRank(
      Layout layout, MemorySegment sorted, MemorySegment all, long[] lengths) {
    Extents ranks = new Extents(lengths);
    long from = 0;
    for (int host = 0; host < layout.hosts(); host++) {
      for (int member : layout.members(host)) {
        MemorySegment.copy(sorted, from, all, ranks.offset(member), lengths[member]);
        from += lengths[member];
      }
    }
  }

  private static long[] localLengths(Layout layout, int host, long[] lengths) {
    return IntStream.of(layout.members(host)).mapToLong(member -> lengths[member]).toArray();
  }

  private static long[] hostLengths(Layout layout, long[] lengths) {
    long[] sums = new long[layout.hosts()];
    for (int host = 0; host < sums.length; host++) {
      sums[host] = LongStream.of(localLengths(layout, host, lengths)).sum();
    }
    return sums;
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long[] lengths) {
    if (position.layout().grouped()) {
      return costAcross(position, lengths);
    }
    Extents extents = new Extents(lengths);
    if (position.sharedMemory()) {
      return new Cost(
          Rounds.pieces(extents.longest(), SharedSlots.slotBytes(position.size())),
          lengths[position.rank()]);
    }
    return new Cost(position.size() - 1, extents.total() - lengths[position.ahead(1)]);
  }

  private static Cost costAcross(TeamPosition position, long[] lengths) {
    long[] hostLengths = hostLengths(position.layout(), lengths);
    Extents hosts = new Extents(hostLengths);
    TeamPosition local = position.local();
    Cost cost = cost(local, localLengths(position.layout(), position.host(), lengths));
    if (position.localRank() == 0) {
      cost = cost.then(cost(position.sameLocalRank(), hostLengths));
    }
    return cost.then(Broadcast.cost(local, 0, hosts.offset(position.host())))
        .then(Broadcast.cost(local, 0, hosts.total() - hosts.offset(position.host() + 1)));
  }
}
