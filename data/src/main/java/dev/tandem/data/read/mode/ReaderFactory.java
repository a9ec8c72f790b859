package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.PositionalFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the {@link Reading} of one reader, by the mode of the request. All readers do so together:
 * they form groups, and groups of roots.
 */
public final class ReaderFactory implements AutoCloseable {

  /** What part of a block takes no longer to read along than a request of its own. */
  private static final int GAPS_A_BLOCK = 16;

  /** Values that are longer are not handed on through slots sized for typical ones. */
  private static final long TYPICAL_VALUES = 32;

  private static final int EVERY_READER = 1 << 20;
  private static final Requests MAPPED = new Requests(1 << 20, 1, Requests.Route.MAPPED);

  private final Peers peers;
  private final Path file;
  private final Snapshot snapshot;
  private final Breakdown times;
  private final BatchPlan plan;
  private final ReadMode mode;
  private final ModeSettings settings;
  private final String choice;
  private Optional<PageCacheLoader> cache = Optional.empty();
  private final RootGroups groups;
  private final OversizedValues outside;
  private final IndexLoading loading;
  private final List<Peers> formed = new ArrayList<>();
  private String indexOrigin = "";

  public ReaderFactory(
      ReadRequest request, Peers peers, Path file, Snapshot snapshot, Breakdown times) {
    this.peers = peers;
    this.file = file;
    this.snapshot = snapshot;
    this.times = times;
    this.plan = request.plan(snapshot.main().size(), peers.size());
    this.outside = new OversizedValues(file, snapshot);
    this.loading = new IndexLoading(request.database(), snapshot, request.locate());
    CacheDecision decision = decide(request);
    if (request.mode() == ReadMode.AUTO && decision.memory()) {
      this.mode = ReadMode.PROV;
      this.settings = new ModeSettings(EVERY_READER, MAPPED, 0, 1);
      this.choice = decision.reason();
    } else if (request.mode() == ReadMode.AUTO) {
      if (peers.rank() == peers.hostRanks()[0]) {
        // A root by any choice, and each needs the index.
        loading.beginIfStored();
      }
      ModeChoice chosen = ModeChoice.agreed(peers, file, plan.strided(), !longRequests());
      this.mode = chosen.mode();
      this.settings = chosen.settings();
      this.choice = chosen.reason();
    } else {
      this.mode = request.mode();
      this.settings =
          decision.memory() ? request.settings().through(decisionRoute()) : request.settings();
      this.choice = "";
    }
    int roots = mode == ReadMode.LMDB ? EVERY_READER : settings.roots();
    this.groups = RootGroups.of(peers.hosts(), roots, peers.rank());
    StagedRecords.of(file).ifPresent(this::requireStaged);
    if (decision.memory()) {
      this.cache = Optional.of(new PageCacheLoader(file, form(peers.hostRanks())));
    }
  }

  /** A mode that is named reads as it is described, unless memory is asked for. */
  private CacheDecision decide(ReadRequest request) {
    if (request.mode() != ReadMode.AUTO && request.cache() != CachePolicy.MEMORY) {
      return new CacheDecision(false, "");
    }
    byte[] verdict = new byte[1];
    CacheDecision decision = null;
    if (peers.rank() == 0) {
      double epochs = (double) plan.iterations() * plan.batch() / plan.records();
      // The last batch of an only epoch may go beyond it.
      boolean once = plan.iterations() <= Math.ceilDiv(plan.records(), (long) plan.batch());
      decision = CacheDecision.of(request.cache(), file, once ? 1 : epochs, longRequests());
      verdict[0] = (byte) (decision.memory() ? 1 : 0);
    }
    peers.broadcast(verdict, 0);
    return decision != null ? decision : new CacheDecision(verdict[0] != 0, "");
  }

  /** How a mode that makes requests reads what is brought into the page cache. */
  private Requests.Route decisionRoute() {
    return mode == ReadMode.PROV ? Requests.Route.MAPPED : Requests.Route.CACHED;
  }

  private void requireStaged(StagedRecords staged) {
    for (Shares shares = new Shares(plan, peers.rank()); !shares.done(); shares.next()) {
      staged.require(plan.ordinal(shares.place()));
    }
  }

  /** The mode that reads, after an automatic choice. */
  public ReadMode mode() {
    return mode;
  }

  /** Why the mode was chosen, or nothing. */
  public String choice() {
    return choice;
  }

  /** Where the index came from, or nothing. */
  public String indexOrigin() {
    return indexOrigin;
  }

  public Reading open() {
    Requests requests = settings.requests();
    return switch (mode) {
      case LMDB -> cursor();
      case LMM -> groups.members().length == 1 ? cursor() : copied();
      case DM -> speculative();
      case DIO -> sought(requests);
      case PROV ->
          requests.route() == Requests.Route.MAPPED
              ? new MappedReading(plan, peers, snapshot, file, index(), cache)
              : indexed(requests);
      case COAL -> coalesced(requests, settings.budget(), Integer.MAX_VALUE);
      case STAG -> coalesced(requests, settings.budget(), settings.group());
      case AUTO -> throw new IllegalStateException("not decided yet");
    };
  }

  private boolean root() {
    return groups.place(peers.rank()) == 0;
  }

  private Reading cursor() {
    return new CursorReading(plan, peers.rank(), snapshot, file);
  }

  private Reading copied() {
    SlotRing ring = ring(copySize());
    return root() ? copying(ring) : follower(ring);
  }

  private Reading copying(SlotRing ring) {
    return new CopyReading(
        snapshot,
        new MappedData(file),
        ring,
        new Shares(plan, groups.members()),
        new CursorWalk(snapshot.main(), plan),
        outside);
  }

  private Reading speculative() {
    SlotRing ring = ring(copySize());
    if (!root()) {
      return follower(ring);
    }
    if (Seeker.records(plan, groups.members()) == 0) {
      return copying(ring);
    }
    // The cursor skips roots that have nothing to read.
    RootGroups busy = groups.withRecords(plan);
    Peers roots = form(busy.roots());
    int[] hosts = peers.hosts();
    Peers local = form(busy.rootsOf(hosts, hosts[peers.rank()]));
    return new SpeculativeReading(
        snapshot,
        new MappedData(file),
        ring,
        plan,
        new CursorWalk(snapshot.main(), plan),
        roots,
        groups.members(),
        new FetchedPages(local, snapshot.lastPage() + 1),
        outside);
  }

  private Reading sought(Requests requests) {
    PositionalFile opened = opened(requests);
    SlotRing ring = ring(ringOfIterations(opened, requests));
    if (!root()) {
      opened.close();
      return follower(ring);
    }
    Peers roots = form(groups.roots());
    int records = Seeker.records(plan, groups.members());
    if (groups.own() > 0) {
      return reading(
          requests, opened, ring, new SentLocations(null, roots, records), 1, ReadTurns.ALWAYS);
    }
    Seeker seeker =
        new Seeker(plan, new CursorWalk(snapshot.main(), plan), roots, groups.groups(), ring);
    seeker.start();
    Locator places = new SentLocations(seeker.own(), roots, records);
    Reading reading = reading(requests, opened, ring, places, 1, ReadTurns.ALWAYS);
    return new SeekingReading(seeker, reading);
  }

  private Reading indexed(Requests requests) {
    PositionalFile opened = opened(requests);
    RingSize size = ringOfIterations(opened, requests);
    return indexed(requests, opened, size, ReadTurns.ALWAYS);
  }

  private Reading coalesced(Requests requests, long budget, int group) {
    PositionalFile opened = opened(requests);
    int hostRoots = groups.rootsOf(peers.hosts(), peers.hosts()[peers.rank()]).length;
    RingSize size = RingSize.coalesced(budget / hostRoots, smallest(opened), requests);
    ReadTurns turns = ReadTurns.ALWAYS;
    if (group < groups.groups().size() && root()) {
      long perRoot = bytesPerRecord() * Math.ceilDiv(plan.batch(), groups.groups().size());
      long iterations = Math.max(1, size.capacity() / Math.max(1, perRoot));
      turns = new TokenTurns(form(groups.roots()), group, plan.iterations(), iterations);
    }
    return indexed(requests, opened, size, turns);
  }

  private Reading indexed(
      Requests requests, PositionalFile opened, RingSize size, ReadTurns turns) {
    // Followers do without the index, which eight new JVMs on two cores would load for long. A root
    // loads it while the ring is made, for which the followers wait.
    if (root()) {
      loading.begin();
    }
    SlotRing ring = ring(size);
    if (!root()) {
      opened.close();
      return follower(ring);
    }
    Locator locator = new IndexLocator(plan, places());
    return reading(requests, opened, ring, locator, size.iterations(), turns);
  }

  private IndexLookup places() {
    RecordIndex index = index();
    if (!plan.strided() && index.numberedKeys().isPresent()) {
      return IndexLookup.withNumbers(index, 1);
    }
    return IndexLookup.withLeaves(index);
  }

  private Reading reading(
      Requests requests,
      PositionalFile opened,
      SlotRing ring,
      Locator locator,
      long iterationsARound,
      ReadTurns turns) {
    RoundPlanner planner =
        new RoundPlanner(
            new Shares(plan, groups.members()),
            locator,
            snapshot,
            opened.alignment(),
            requests.block(),
            requests.block() / GAPS_A_BLOCK,
            iterationsARound);
    return new RequestReading(
        planner, ring, opened, requests.queueDepth(), !longRequests(), turns, outside);
  }

  private Reading follower(SlotRing ring) {
    return new FollowerReading(ring, groups.place(peers.rank()), outside);
  }

  private RecordIndex index() {
    RecordIndex index = loading.await();
    times.seek += loading.nanos();
    indexOrigin = index.origin();
    return index;
  }

  private PositionalFile opened(Requests requests) {
    return requests.route() == Requests.Route.DIRECT
        ? PositionalFile.openDirect(file)
        : PositionalFile.openCached(file);
  }

  private SlotRing ring(RingSize size) {
    return groups.members().length == 1
        ? new PrivateRing(size.slots(), size.capacity(), longRequests())
        : new SharedRing(sharing(), size);
  }

  /** In key order a request is many records; else it is one. */
  private boolean longRequests() {
    return plan.strided() || bytesPerRecord() >= Requests.LONG_BYTES;
  }

  /** The readers of this one's ring, which talk to each other only to make it. */
  private Peers sharing() {
    // Forming a group takes new JVMs some 20 ms.
    return groups.groups().size() == 1 ? peers : form(groups.members());
  }

  private Peers form(int... ranks) {
    if (ranks.length == 1) {
      return new Peers.Alone();
    }
    Peers group = peers.group(ranks);
    formed.add(group);
    return group;
  }

  private long bytesPerRecord() {
    long bytes = (snapshot.lastPage() + 1) * snapshot.pageSize();
    return Math.max(1, bytes / plan.records());
  }

  /** What this group reads in an iteration, about. */
  private long iterationBytes() {
    return bytesPerRecord() * Math.max(1, Seeker.records(plan, groups.members()));
  }

  /** What a slot must have room for; the same in all readers. */
  private long smallest(PositionalFile opened) {
    long typical = Math.min(TYPICAL_VALUES * bytesPerRecord(), 1 << 28);
    return RoundPlanner.capacityFor(typical, snapshot.pageSize(), opened.alignment());
  }

  private RingSize ringOfIterations(PositionalFile opened, Requests requests) {
    // In random order a request is a record, whatever it might be.
    long request =
        plan.strided() ? requests.block() : Math.min(requests.block(), 2 * bytesPerRecord());
    return RingSize.ofIterations(
        iterationBytes(), smallest(opened), request, requests.queueDepth());
  }

  private RingSize copySize() {
    long iteration = iterationBytes();
    long most = 64 << 20;
    long capacity = Math.clamp(iteration + iteration / 8, 1 << 20, most);
    return new RingSize(3, (int) Math.max(capacity, Math.min(2 * bytesPerRecord(), most)), 1);
  }

  /** Closes the groups that were formed; after the reading. */
  @Override
  public void close() {
    cache.ifPresent(PageCacheLoader::close);
    for (Peers group : formed) {
      group.close();
    }
  }
}
