package dev.tandem.data.read;

import dev.tandem.posix.PageCache;
import dev.tandem.posix.PositionalFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The automatic choice of a mode: from how much of the file is in the page cache, and from what a
 * request costs and how fast bytes come, by a few reads.
 *
 * @param reason one line
 */
record ModeChoice(ReadMode mode, String reason) {

  private static final double WARM = 0.9;
  private static final int SMALL = 4096;
  private static final int LARGE = 1 << 20;
  private static final int SMALL_READS = 6;
  private static final int LARGE_READS = 3;
  private static final int LARGEST_BLOCK = 16 << 20;

  /** A request that takes longer is worth avoiding at the price of handing records on. */
  private static final double SLOW_REQUEST_SECONDS = 0.002;

  private static final int BYTES = 1024;
  private static final int EVERY_READER = 1 << 20;

  /** Looks at the file and decides, for readers on so many hosts. */
  static ModeChoice probe(Path file, boolean strided, int hosts) {
    double warm = PageCache.sampledShare(file);
    if (warm >= WARM) {
      Requests mapped = new Requests(LARGE, 1, Requests.Route.MAPPED);
      return new ModeChoice(
          new ReadMode.Indexed(EVERY_READER, mapped),
          percent(warm) + " of the file is in the page cache: prov, straight from there");
    }
    try (PositionalFile direct = PositionalFile.openDirect(file)) {
      return probe(direct, warm, strided, hosts);
    }
  }

  private static ModeChoice probe(PositionalFile file, double warm, boolean strided, int hosts) {
    SplittableRandom random = new SplittableRandom(file.size());
    ByteBuffer memory =
        ByteBuffer.allocateDirect(LARGE + file.alignment()).alignedSlice(file.alignment());
    double small = best(file, memory, SMALL, SMALL_READS, random);
    double large = best(file, memory, LARGE, LARGE_READS, random);
    double bandwidth = (LARGE - SMALL) / Math.max(large - small, 1e-9);
    String seen =
        String.format(
            Locale.ROOT,
            "%s of the file is in the page cache, a request takes %.0f us, then %.0f MB/s come",
            percent(warm),
            small * 1e6,
            bandwidth / 1e6);
    Requests.Route route = file.direct() ? Requests.Route.DIRECT : Requests.Route.CACHED;
    if (!strided) {
      Requests requests = new Requests(LARGE, Requests.RANDOM_DEPTH, route);
      return new ModeChoice(
          new ReadMode.Indexed(EVERY_READER, requests),
          seen + ": prov, every reader its own records, queue depth " + Requests.RANDOM_DEPTH);
    }
    if (small < SLOW_REQUEST_SECONDS) {
      Requests requests = new Requests(LARGE, ModeSettings.DEFAULT.requests().queueDepth(), route);
      return new ModeChoice(
          new ReadMode.Indexed(EVERY_READER, requests),
          seen
              + ": prov, every reader a root, blocks of 1 MiB, queue depth "
              + requests.queueDepth());
    }
    int block = block(small, bandwidth);
    Requests requests = new Requests(block, 2, route);
    String coalesced = ", one root a host, blocks of " + (block >> 20) + " MiB, queue depth 2";
    if (hosts > 1) {
      int group = Math.max(1, hosts / 2);
      return new ModeChoice(
          new ReadMode.Staggered(1, requests, 0, group),
          seen + ": stag" + coalesced + ", " + group + " hosts at a time");
    }
    return new ModeChoice(new ReadMode.Coalesced(1, requests, 0), seen + ": coal" + coalesced);
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

  private static double best(
      PositionalFile file, ByteBuffer memory, int length, int reads, SplittableRandom random) {
    double best = Double.MAX_VALUE;
    long room = Math.max(1, (file.size() - length) / SMALL);
    for (int i = 0; i < reads; i++) {
      long position = random.nextLong(room) * SMALL / file.alignment() * file.alignment();
      long began = System.nanoTime();
      file.read(memory.clear().limit(length), position, 0);
      best = Math.min(best, (System.nanoTime() - began) / 1e9);
    }
    return best;
  }

  private static String percent(double share) {
    return Math.round(share * 100) + "%";
  }

  /** The same for all readers: the first decides. */
  static ModeChoice agreed(Peers peers, Path file, boolean strided) {
    byte[] bytes = new byte[BYTES];
    if (peers.rank() == 0) {
      int hosts = 0;
      for (int host : peers.hosts()) {
        hosts = Math.max(hosts, host + 1);
      }
      byte[] text = probe(file, strided, hosts).text().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, bytes, 0, Math.min(text.length, BYTES));
    }
    peers.broadcast(bytes, 0);
    return of(new String(bytes, StandardCharsets.UTF_8).replace("\0", ""));
  }

  private String text() {
    ModeSettings settings = ModeSettings.of(mode);
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
    return new ModeChoice(settings.mode(words.get(0)), words.get(6));
  }
}
