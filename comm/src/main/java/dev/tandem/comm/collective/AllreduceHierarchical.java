package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce of a team on several hosts, window by window. With k the least number of members on a
 * host, the first k members of each host own one share of a window each. The members of a host
 * reduce their shares, in shared memory where they have some ({@link ReduceScatter}); members that
 * own the same share on different hosts reduce it among themselves ({@link DirectRounds}); the
 * members of a host show each other the results ({@link Allgather}). So every byte of a window
 * crosses the network as often as if each host were one rank, through all members of the host.
 *
 * <p>Communication steps and bytes: those of the three parts for each window, the middle one for
 * owners only: 2 (h - 1) steps, and (B - b) + (h - 1) b bytes for a share of B bytes on h hosts, of
 * which this host reduces b.
 */
final class AllreduceHierarchical {

  /** Bytes of a message between hosts. */
  private static final long MESSAGE_BYTES = 128 << 10;

  private final Team team;
  private final Team local;
  private final MemorySegment data;
  private final DType type;
  private final ReduceOp op;
  private final Reduction step;
  private final int owners;
  private final long window;

  private AllreduceHierarchical(Team team, MemorySegment data, DType type, ReduceOp op) {
    this.team = team;
    this.local = team.local().orElseThrow();
    this.data = data;
    this.type = type;
    this.op = op;
    this.step = local.reduction(type, Fold.step(op));
    this.owners = team.layout().fewest();
    this.window = windowBytes(team.layout());
  }

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    new AllreduceHierarchical(team, data, type, op).run();
  }

  private static long windowBytes(Layout layout) {
    return MESSAGE_BYTES * layout.fewest() * layout.hosts();
  }

  private void run() {
    long windows = Rounds.pieces(data.byteSize(), window);
    Source source = new Source();
    if (team.sameLocalRank().isPresent()) {
      new DirectRounds(team.sameLocalRank().get(), Fold.ofHosts(team, type, op))
          .run(windows, MESSAGE_BYTES, source);
    } else {
      followOwners(windows, source);
    }
  }

  /** What owners do with the other members of their host, in the same order. */
  private static void followOwners(long windows, Source source) {
    for (long round = 0; round < windows + DirectRounds.LAG; round++) {
      if (round < windows) {
        DirectRound.Pieces _ = source.prepare(round);
      }
      if (round >= DirectRounds.LAG) {
        source.complete(round - DirectRounds.LAG);
      }
    }
  }

  private final class Source implements DirectRounds.Source {

    @Override
    public DirectRound.Pieces prepare(long round) {
      MemorySegment part = part(round);
      Blocks shares = shares(part.byteSize(), type, owners);
      int me = local.rank();
      MemorySegment mine = me < owners ? shares.block(part, me) : Team.nothing();
      if (local.size() > 1) {
        ReduceScatter.toOwners(local, part, shares.extents(), step::reduce, mine);
      }
      Blocks blocks = new Blocks(mine.byteSize(), type.bytes(), team.layout().hosts());
      return host -> blocks.block(mine, host);
    }

    @Override
    public void complete(long round) {
      MemorySegment part = part(round);
      Blocks shares = shares(part.byteSize(), type, owners);
      int me = local.rank();
      Allgather.run(
          local,
          me < owners ? shares.block(part, me) : Team.nothing(),
          part,
          shares.lengths(local.size()));
    }

    private MemorySegment part(long round) {
      long from = round * window;
      return data.asSlice(from, Math.min(window, data.byteSize() - from));
    }
  }

  private static Blocks shares(long bytes, DType type, int owners) {
    return new Blocks(bytes, type.bytes(), owners);
  }

  static Cost cost(TeamPosition position, long bytes, DType type) {
    long window = windowBytes(position.layout());
    Cost whole = windowCost(position, window, type).times(bytes / window);
    return bytes % window == 0 ? whole : whole.then(windowCost(position, bytes % window, type));
  }

  private static Cost windowCost(TeamPosition position, long bytes, DType type) {
    Layout layout = position.layout();
    int hosts = layout.hosts();
    Blocks shares = shares(bytes, type, layout.fewest());
    TeamPosition local = position.local();
    Cost cost =
        local.size() == 1
            ? Cost.NOTHING
            : ReduceScatter.toOwnersCost(local, shares.extents())
                .then(Allgather.cost(local, shares.lengths(local.size())));
    if (local.rank() >= shares.ranks()) {
      return cost;
    }
    long share = shares.length(local.rank());
    long mine = new Blocks(share, type.bytes(), hosts).length(position.host());
    return cost.then(new Cost(2L * (hosts - 1), share - mine + (hosts - 1) * mine));
  }
}
