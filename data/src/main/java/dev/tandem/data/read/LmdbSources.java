package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Ranges;
import dev.tandem.data.DataRecord;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.read.mode.CacheDecision;
import dev.tandem.data.read.mode.CommunicatorPeers;
import dev.tandem.data.read.mode.PageCacheLoader;
import dev.tandem.data.read.mode.Peers;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.Environment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** Opens LMDB databases for loaders, by the mode that a {@link LoadRequest} names. */
public final class LmdbSources {

  private static final Requests REQUESTS =
      new Requests(1 << 20, Requests.RANDOM_DEPTH, Requests.Route.DIRECT);

  private LmdbSources() {}

  /**
   * Opens a database by its folder or its data file; all ranks call this together.
   *
   * @param communicator of all ranks; stays open at least as long as the source
   * @param log takes one line, in the first rank, which says how the data will be read
   */
  public static RecordSource open(
      Path path, LoadRequest request, Communicator communicator, Consumer<String> log) {
    ReadMode mode = request.mode() == ReadMode.AUTO ? ReadMode.PROV : request.mode();
    Optional<PageCacheLoader> cache = cache(path, request, mode, communicator, log);
    return switch (mode) {
      case LMDB -> loaded(LmdbSource.open(path), cache);
      case LMM ->
          loaded(
              communicator.size() == 1
                  ? LmdbSource.open(path)
                  : new HostSource(LmdbSource.open(path), communicator),
              cache);
      case DM -> loaded(new AheadSource(LmdbSource.open(path)), cache);
      case DIO, PROV, COAL, STAG, AUTO -> {
        IndexedLmdbSource source = IndexedLmdbSource.open(path, mode, request.locate(), REQUESTS);
        cache.ifPresent(source::cachedBy);
        if (mode == ReadMode.STAG && communicator.size() > 1) {
          source.permittedBy(new RankPermits(communicator, 1));
        }
        yield source;
      }
    };
  }

  /** The first rank of each host decides for the others of its host. */
  private static Optional<PageCacheLoader> cache(
      Path path,
      LoadRequest request,
      ReadMode mode,
      Communicator communicator,
      Consumer<String> log) {
    Path file = Environment.dataFile(path);
    boolean alone = communicator.size() == 1;
    try (Peers host =
        alone ? new Peers.Alone() : new CommunicatorPeers(communicator.sameHost(), true)) {
      byte[] verdict = new byte[1];
      if (host.rank() == 0) {
        boolean keyOrder = request.shuffle() instanceof Shuffle.None;
        CacheDecision decision =
            CacheDecision.of(request.cache(), file, request.epochs(), keyOrder);
        if (communicator.rank() == 0) {
          log.accept("read: " + mode.code() + "; " + decision.reason());
        }
        verdict[0] = (byte) (decision.memory() ? 1 : 0);
      }
      host.broadcast(verdict, 0);
      return verdict[0] == 0 ? Optional.empty() : Optional.of(new PageCacheLoader(file, host));
    }
  }

  private static RecordSource loaded(RecordSource base, Optional<PageCacheLoader> cache) {
    return cache.isEmpty() ? base : new LoadedSource(base, cache.get());
  }

  /** A source that reads through its mapping, while a loader fills the page cache. */
  private record LoadedSource(RecordSource base, PageCacheLoader cache) implements RecordSource {

    @Override
    public long size() {
      return base.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      return base.record(ordinal);
    }

    @Override
    public RecordBlock fetch(long[] ordinals) {
      return base.fetch(ordinals);
    }

    @Override
    public boolean readsParts() {
      return base.readsParts();
    }

    @Override
    public RecordBlock fetch(long[] ordinals, Ranges parts) {
      return base.fetch(ordinals, parts);
    }

    @Override
    public void close() {
      cache.close();
      base.close();
    }
  }
}
