package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.ReadRound;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.data.read.request.Requests;
import dev.tandem.posix.IoUring;
import dev.tandem.posix.PageCache;
import dev.tandem.posix.PositionalFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The automatic choice of a mode: from how much of the file is in the page cache, and from what a
 * request costs and how fast bytes come, by a few reads.
 *
 * @param reason one line
 */
record ModeChoice(ReadMode mode, ModeSettings settings, String reason) {

  private static final double WARM = 0.9;
  private static final int SMALL = 4096;
  private static final int LARGE = 1 << 20;
  private static final int FEW_SMALL_READS = 6;
  private static final int LARGE_READS = 3;

  /** One alone may meet a bad moment. Where both are slow, more would only take longer. */
  private static final int FEWEST_READS = 2;

  /** Of reads that are slow because other readers, which are just starting, use up a ration. */
  private static final int DOUBTFUL_READS = 12;

  private static final double CERTAINLY_SLOW_SECONDS = 0.005;

  /** Limits on requests let a tenth of a second's worth pass at once, so fewer show nothing. */
  private static final int SMALL_READS = 160;

  private static final double MOST_PROBING_SECONDS = 0.05;
  private static final int LARGEST_BLOCK = 16 << 20;

  /** A request that takes longer is worth avoiding at the price of handing records on. */
  private static final double SLOW_REQUEST_SECONDS = 0.002;

  /** If even the shortest takes longer, the time is storage's own, and many may pass together. */
  private static final double LONG_REQUEST_SECONDS = 0.00025;

  /**
   * Where the mean is longer, though one request may be fast, requests are rationed. Of 1,000 a
   * second a hundred pass at once, so that the mean of 160 is 375 us at least.
   */
  private static final double RATIONED_REQUEST_SECONDS = 0.00025;

  /** Where it is this many times the shortest, some may have passed before a ration began. */
  private static final double SUSPICIOUS_TIMES = 2;

  /** The longest request that reaches a disk whole, if its memory is in huge pages. */
  private static final int WHOLE_REQUEST = 4 << 20;

  /** Small reads that are asked for at once, to see whether storage works on them side by side. */
  private static final int TOGETHER = 8;

  /** If they take this many times as long as one, or longer, they wait for each other. */
  private static final double SIDE_BY_SIDE = 3;

  /** Requests under way in a reader, where they take long side by side. */
  private static final int FEWEST_SLOW = 8;

  private static final int MOST_SLOW = 32;

  /** Requests under way by the kernel's queue, of a few pages each; threads would be too many. */
  private static final int QUEUED_DEPTH = 256;

  /** Requests under way in each of several roots, and in all of a host. */
  private static final int FEWEST_UNDER_WAY = 8;

  private static final int UNDER_WAY = 16;

  private static final int BYTES = 1024;
  private static final int EVERY_READER = 1 << 20;

  /**
   * Looks at the file and decides, for readers on several hosts, equally many on each.
   *
   * @param shortRecords in random order requests are a few pages each
   */
  static ModeChoice probe(
      Path file, boolean strided, boolean shortRecords, int hosts, int hostReaders) {
    double warm = PageCache.sampledShare(file);
    if (warm >= WARM) {
      Requests mapped = new Requests(LARGE, 1, Requests.Route.MAPPED);
      return new ModeChoice(
          ReadMode.PROV,
          new ModeSettings(EVERY_READER, mapped, 0, 1),
          percent(warm) + " of the file is in the page cache: prov, straight from there");
    }
    try (PositionalFile direct = PositionalFile.openDirect(file)) {
      return probe(direct, warm, strided, shortRecords, hosts, hostReaders);
    }
  }

  private static ModeChoice probe(
      PositionalFile file,
      double warm,
      boolean strided,
      boolean shortRecords,
      int hosts,
      int hostReaders) {
    SplittableRandom random = new SplittableRandom(file.size());
    ByteBuffer memory =
        ByteBuffer.allocateDirect(LARGE + file.alignment()).alignedSlice(file.alignment());
    Reads smallReads =
        Reads.time(file, memory, SMALL, strided ? SMALL_READS : FEW_SMALL_READS, random);
    double small = smallReads.best;
    double large = Reads.time(file, memory, LARGE, LARGE_READS, random).best;
    double bandwidth = (LARGE - SMALL) / Math.max(large - small, 1e-9);
    String seen =
        percent(warm)
            + " of the file is in the page cache, a request takes "
            + Math.round(small * 1e6)
            + " us, then "
            + Math.round(bandwidth / 1e6)
            + " MB/s come";
    Requests.Route route = file.direct() ? Requests.Route.DIRECT : Requests.Route.CACHED;
    int roots = roots(hostReaders);
    String who = roots == hostReaders ? "every reader a root" : roots + " of each host's readers";
    if (!strided) {
      int most = shortRecords && queued(file) ? QUEUED_DEPTH : Requests.RANDOM_DEPTH;
      int depth = Math.max(most / roots, FEWEST_UNDER_WAY);
      return new ModeChoice(
          ReadMode.PROV,
          new ModeSettings(roots, new Requests(LARGE, depth, route), 0, 1),
          seen + ": prov, " + who + ", queue depth " + depth);
    }
    if (small >= LONG_REQUEST_SECONDS && sideBySide(file, memory, random, small)) {
      int depth = slowDepth(small, bandwidth, hostReaders);
      return new ModeChoice(
          ReadMode.PROV,
          new ModeSettings(EVERY_READER, new Requests(LARGE, depth, route), 0, 1),
          seen
              + " for many at once: prov, every reader a root, blocks of 1 MiB, queue depth "
              + depth);
    }
    boolean slow = small >= SLOW_REQUEST_SECONDS;
    boolean rationed = false;
    if (!slow && smallReads.suspicious()) {
      // A bad moment is over by now, a ration is used up.
      double again = Reads.time(file, memory, SMALL, SMALL_READS, random).mean;
      rationed = again > RATIONED_REQUEST_SECONDS;
      if (rationed) {
        seen += ", but many take " + Math.round(again * 1e6) + " us each";
      }
    }
    if (!slow && !rationed) {
      int block = ModeSettings.DEFAULT.requests().block();
      int depth = Math.max(UNDER_WAY / roots, FEWEST_UNDER_WAY);
      return new ModeChoice(
          ReadMode.PROV,
          new ModeSettings(roots, new Requests(block, depth, route), 0, 1),
          seen + ": prov, " + who + ", blocks of " + (block >> 10) + " KiB, queue depth " + depth);
    }
    int block = rationed ? WHOLE_REQUEST : block(small, bandwidth);
    Requests requests = new Requests(block, 2, route);
    String coalesced = ", one root per host, blocks of " + (block >> 20) + " MiB, queue depth 2";
    if (hosts > 1) {
      int group = Math.max(1, hosts / 2);
      return new ModeChoice(
          ReadMode.STAG,
          new ModeSettings(1, requests, 0, group),
          seen + ": stag" + coalesced + ", " + group + " hosts at a time");
    }
    return new ModeChoice(
        ReadMode.COAL, new ModeSettings(1, requests, 0, 1), seen + ": coal" + coalesced);
  }

  /** Whether the kernel has a queue for us. */
  private static boolean queued(PositionalFile file) {
    Optional<IoUring> queue = file.queue(1);
    queue.ifPresent(IoUring::close);
    return queue.isPresent();
  }

  /** As many requests in each reader of a host as keep the bytes coming, several times over. */
  private static int slowDepth(double requestSeconds, double bandwidth, int hostReaders) {
    double underWay = 4 * requestSeconds * bandwidth / LARGE;
    return (int) Math.clamp(Math.ceil(underWay / hostReaders), FEWEST_SLOW, MOST_SLOW);
  }

  /**
   * Readers of a host that read, for the others, too. A new JVM that reads has to compile more than
   * one that is handed its records, which takes the processor from all others.
   */
  private static int roots(int hostReaders) {
    return Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, hostReaders);
  }

  /** Whether requests do not wait for each other; looks twice, since one look may be unlucky. */
  private static boolean sideBySide(
      PositionalFile file, ByteBuffer memory, SplittableRandom random, double alone) {
    double limit = SIDE_BY_SIDE * alone;
    double taken = together(file, memory, random);
    if (taken >= limit) {
      taken = together(file, memory, random);
    }
    return taken < limit;
  }

  /** How long small reads at random places take that are asked for at once, in seconds. */
  private static double together(PositionalFile file, ByteBuffer memory, SplittableRandom random) {
    long room = Math.max(1, (file.size() - SMALL) / SMALL);
    ReadRound round = new ReadRound(memory.clear());
    for (int i = 0; i < TOGETHER; i++) {
      round.request(random.nextLong(room) * SMALL, i * SMALL, SMALL);
    }
    long began = System.nanoTime();
    RequestThreads.readAll(file, round, TOGETHER);
    return (System.nanoTime() - began) / 1e9;
  }

  /** Blocks that take several times as long as the request for them. */
  private static int block(double requestSeconds, double bandwidth) {
    long wanted = (long) (4 * requestSeconds * bandwidth);
    int block = LARGE;
    while (block < wanted && block < LARGEST_BLOCK) {
      block *= 2;
    }
    return block;
  }

  /** How long reads at random places took, in seconds. */
  private record Reads(double best, double mean) {

    boolean suspicious() {
      return mean > RATIONED_REQUEST_SECONDS || mean > SUSPICIOUS_TIMES * best;
    }

    /** Reads at most N times, or fewer if that takes long. */
    static Reads time(
        PositionalFile file, ByteBuffer memory, int length, int most, SplittableRandom random) {
      double best = Double.MAX_VALUE;
      double sum = 0;
      int reads = 0;
      long room = Math.max(1, (file.size() - length) / SMALL);
      while (reads < FEWEST_READS
          || (reads < Math.min(most, DOUBTFUL_READS) && best < CERTAINLY_SLOW_SECONDS)
          || (reads < most && best < SLOW_REQUEST_SECONDS && sum < MOST_PROBING_SECONDS)) {
        long position = random.nextLong(room) * SMALL / file.alignment() * file.alignment();
        long began = System.nanoTime();
        file.read(memory.clear().limit(length), position, 0);
        double seconds = (System.nanoTime() - began) / 1e9;
        best = Math.min(best, seconds);
        sum += seconds;
        reads++;
      }
      return new Reads(best, sum / reads);
    }
  }

  private static String percent(double share) {
    return Math.round(share * 100) + "%";
  }

  /** The same for all readers: the first decides. */
  static ModeChoice agreed(Peers peers, Path file, boolean strided, boolean shortRecords) {
    byte[] bytes = new byte[BYTES];
    if (peers.rank() == 0) {
      int hosts = 0;
      for (int host : peers.hosts()) {
        hosts = Math.max(hosts, host + 1);
      }
      int readers = peers.hostRanks().length;
      ModeChoice choice = probe(file, strided, shortRecords, hosts, readers);
      byte[] text = choice.text().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, bytes, 0, Math.min(text.length, BYTES));
    }
    peers.broadcast(bytes, 0);
    return of(new String(bytes, StandardCharsets.UTF_8).replace("\0", ""));
  }

  private String text() {
    return String.join(
        "|",
        mode.code(),
        Integer.toString(settings.roots()),
        Integer.toString(settings.requests().block()),
        Integer.toString(settings.requests().queueDepth()),
        settings.requests().route().name(),
        Integer.toString(settings.group()),
        reason);
  }

  private static ModeChoice of(String text) {
    List<String> words = List.of(text.split("\\|", 7));
    Requests requests =
        new Requests(
            Integer.parseInt(words.get(2)),
            Integer.parseInt(words.get(3)),
            Requests.Route.valueOf(words.get(4)));
    ModeSettings settings =
        new ModeSettings(
            Integer.parseInt(words.get(1)), requests, 0, Integer.parseInt(words.get(5)));
    return new ModeChoice(ReadMode.of(words.get(0)), settings, words.get(6));
  }
}
