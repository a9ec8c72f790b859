package dev.tandem.data.read;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.RecordIndex;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.PositionalFile;
import java.nio.file.Path;
import java.util.Optional;

/** Makes the {@link Reading} of one reader, by the mode of the request. */
final class Readings {

  /** Bytes that take no longer to read than a request. */
  private static final int GAP = 32 << 10;

  private final ReadRequest request;
  private final Peers peers;
  private final Path file;
  private final Snapshot snapshot;
  private final Breakdown times;
  private final BatchPlan plan;
  private ReadMode mode;
  private String choice = "";
  private String indexOrigin = "";

  Readings(ReadRequest request, Peers peers, Path file, Snapshot snapshot, Breakdown times) {
    this.request = request;
    this.peers = peers;
    this.file = file;
    this.snapshot = snapshot;
    this.times = times;
    this.mode = request.mode();
    this.plan = request.plan(snapshot.main().size(), peers.size());
  }

  /** The mode that reads, after an automatic choice. */
  ReadMode mode() {
    return mode;
  }

  /** Why the mode was chosen, or nothing. */
  String choice() {
    return choice;
  }

  /** Where the index came from, or nothing. */
  String indexOrigin() {
    return indexOrigin;
  }

  Reading open() {
    return switch (mode) {
      case ReadMode.Lmdb _ -> new CursorReading(plan, peers.rank(), snapshot, file);
      case ReadMode.Indexed(_, Requests requests) when requests.route() == Requests.Route.MAPPED ->
          new MappedReading(plan, peers.rank(), snapshot, file, index());
      case ReadMode.Indexed(_, Requests requests) -> indexed(requests, Optional.empty());
      case ReadMode.Coalesced(_, Requests requests, long budget) ->
          indexed(requests, Optional.of(budget));
      default -> throw new IllegalStateException("mode " + mode.code());
    };
  }

  private RecordIndex index() {
    long began = System.nanoTime();
    RecordIndex index = RecordIndex.openOrBuild(request.database(), Progress.SILENT);
    times.seek += System.nanoTime() - began;
    indexOrigin = index.origin();
    return index;
  }

  private Reading indexed(Requests requests, Optional<Long> budget) {
    RecordIndex index = index();
    PositionalFile opened =
        requests.route() == Requests.Route.DIRECT
            ? PositionalFile.openDirect(file)
            : PositionalFile.openCached(file);
    int alignment = opened.alignment();
    long smallest =
        RoundPlanner.smallestCapacity(index.longestValue(), index.pageSize(), alignment);
    long perRecord = opened.size() / Math.max(1, plan.records());
    RingSize size =
        budget.isPresent()
            ? RingSize.coalesced(budget.get(), smallest, requests)
            : RingSize.ofIterations(perRecord * plan.count(peers.rank()), smallest, requests);
    Optional<LeafCache> leaves =
        !plan.strided() && LeafCache.suits(index, alignment)
            ? Optional.of(LeafCache.read(index, opened, requests.queueDepth()))
            : Optional.empty();
    RoundPlanner planner =
        new RoundPlanner(
            new Shares(plan, peers.rank()),
            new IndexLocator(plan, index, snapshot.main(), leaves),
            snapshot,
            alignment,
            requests.block(),
            GAP,
            size.iterations());
    SlotRing ring = new PrivateRing(size.slots(), size.capacity(), alignment);
    return new RequestReading(planner, ring, opened, requests.queueDepth(), Turns.ALWAYS);
  }
}
