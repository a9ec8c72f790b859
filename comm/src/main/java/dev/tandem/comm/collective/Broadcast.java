package dev.tandem.comm.collective;

import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Copies the root's data to all. In shared memory the root shows one slot after the other; over
 * messages a binomial tree, in which every rank that has the data sends it to one that has not,
 * twice as near each round. On several hosts with several members, chunk by chunk: first within the
 * root's host, then among the first members of all hosts, then within the other hosts.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth; over messages 1 for the parent
 * and for each child. Bytes on the wire: in shared memory the root writes S; over messages a rank
 * sends S once for each of its children, of which the root has ceil(log2 n) and all together n - 1.
 * On several hosts: the sum of the parts, for each chunk.
 */
public final class Broadcast {

  private Broadcast() {}

  /** Bytes that go on from host to host while those before spread within a host. */
  private static final long CHUNK_BYTES = 512 << 10;

  public static void run(Team team, MemorySegment data, int root) {
    if (team.local().isPresent()) {
      runAcross(team, team.local().get(), data, root);
      return;
    }
    if (team.slots().isPresent()) {
      team.fingerprint(CallFingerprint.of(Broadcast.class, data.byteSize(), root));
      runFlat(team, team.slots().get(), data, root);
      return;
    }
    int size = team.size();
    int me = Math.floorMod(team.rank() - root, size);
    int reach = reach(me, size);
    if (me != 0) {
      team.receive((me - reach + root) % size, data);
    }
    for (int distance = reach / 2; distance >= 1; distance /= 2) {
      if (me + distance < size) {
        team.send((me + distance + root) % size, data);
      }
    }
  }

  private static void runAcross(Team team, Team local, MemorySegment data, int root) {
    Layout layout = team.layout();
    int source = layout.hostOf(root);
    for (long from = 0; from < data.byteSize(); from += CHUNK_BYTES) {
      MemorySegment part = Extents.piece(data, from, CHUNK_BYTES);
      if (layout.hostOf(team.rank()) == source) {
        run(local, part, layout.localRank(root));
      }
      if (team.hostLeaders().isPresent()) {
        run(team.hostLeaders().get(), part, source);
      }
      if (layout.hostOf(team.rank()) != source) {
        run(local, part, 0);
      }
    }
  }

  private static void runFlat(Team team, SharedSlots slots, MemorySegment data, int root) {
    long slot = SharedSlots.slotBytes(team.size());
    for (long from = 0; from < data.byteSize(); from += slot) {
      long length = Math.min(slot, data.byteSize() - from);
      MemorySegment part = data.asSlice(from, length);
      if (team.rank() == root) {
        slots.put(part, 0);
      }
      slots.turn();
      if (team.rank() != root) {
        part.copyFrom(slots.slot(root, 0, length));
      }
    }
  }

  /** The distance from a rank to its parent, twice the distance to its farthest child. */
  private static int reach(int me, int size) {
    return me == 0 ? 1 << Rounds.log2Ceiling(size) : Integer.lowestOneBit(me);
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, int root, long bytes) {
    if (position.layout().grouped()) {
      Cost whole = costAcross(position, root, CHUNK_BYTES).times(bytes / CHUNK_BYTES);
      long rest = bytes % CHUNK_BYTES;
      return rest == 0 ? whole : whole.then(costAcross(position, root, rest));
    }
    int me = Math.floorMod(position.rank() - root, position.size());
    if (position.sharedMemory()) {
      return new Cost(
          Rounds.pieces(bytes, SharedSlots.slotBytes(position.size())), me == 0 ? bytes : 0);
    }
    long children = 0;
    for (int distance = reach(me, position.size()) / 2; distance >= 1; distance /= 2) {
      children += me + distance < position.size() ? 1 : 0;
    }
    return new Cost(children + (me == 0 ? 0 : 1), children * bytes);
  }

  private static Cost costAcross(TeamPosition position, int root, long bytes) {
    int source = position.layout().hostOf(root);
    int localRoot = position.host() == source ? position.layout().localRank(root) : 0;
    Cost within = cost(position.local(), localRoot, bytes);
    return position.localRank() == 0
        ? within.then(cost(position.sameLocalRank(), source, bytes))
        : within;
  }
}
