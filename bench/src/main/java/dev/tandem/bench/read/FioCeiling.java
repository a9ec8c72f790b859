package dev.tandem.bench.read;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the storage gives: fio reads the same file with O_DIRECT, one process, many requests in
 * flight, sequentially or (for random orders) at random places in blocks of a record. The best of
 * several settings is found by a short trial of each; then that one runs as long as the others.
 */
final class FioCeiling implements ReadContender {

  private static final int KILOBYTE = 1024;
  private static final List<Setting> SEQUENTIAL =
      List.of(
          new Setting(128 * KILOBYTE, 8),
          new Setting(256 * KILOBYTE, 4),
          new Setting(256 * KILOBYTE, 16),
          new Setting(1024 * KILOBYTE, 4),
          new Setting(1024 * KILOBYTE, 8),
          new Setting(4096 * KILOBYTE, 4));
  private static final List<Integer> RANDOM_DEPTHS = List.of(8, 32, 128);
  private static final int PAGE = 4096;

  /** Small enough that trials take no time, large enough to tell settings apart. */
  private static final long TRIAL = 256L << 20;

  private final Map<String, Setting> best = new HashMap<>();

  /** Bytes of a request, and requests in flight. */
  record Setting(int block, int depth) {}

  @Override
  public String name() {
    return "ceiling";
  }

  @Override
  public ReadOutcome run(ReadCase what, Confinement confinement) {
    String kind = what.access() + " of " + what.database().name();
    Setting setting = best.computeIfAbsent(kind, any -> choose(what, confinement));
    long bytes = (long) (what.records() * what.database().bytesPerRecord());
    double bytesPerSecond = measure(what, setting, bytes, confinement);
    return new ReadOutcome(what.records(), bytes / bytesPerSecond, 0, Map.of(), List.of());
  }

  private Setting choose(ReadCase what, Confinement confinement) {
    List<Setting> candidates = SEQUENTIAL;
    if (!what.access().inKeyOrder()) {
      int block = (int) (Math.ceil(what.database().bytesPerRecord() / PAGE) * PAGE);
      // A little more than a record's own pages belongs to the tree.
      int own = block > PAGE * 2 ? block - PAGE : PAGE;
      candidates = RANDOM_DEPTHS.stream().map(depth -> new Setting(own, depth)).toList();
    }
    Setting chosen = candidates.getFirst();
    double most = 0;
    for (Setting candidate : candidates) {
      long trial = Math.min(TRIAL, what.database().fileBytes());
      double bytesPerSecond = measure(what, candidate, trial, confinement);
      if (bytesPerSecond > most) {
        most = bytesPerSecond;
        chosen = candidate;
      }
    }
    return chosen;
  }

  private static double measure(
      ReadCase what, Setting setting, long bytes, Confinement confinement) {
    return FioRun.bytesPerSecond(
        what.database().file(),
        confinement,
        "--rw=" + (what.access().inKeyOrder() ? "read" : "randread"),
        "--bs=" + setting.block,
        "--iodepth=" + setting.depth,
        "--io_size=" + bytes,
        "--direct=1",
        "--ioengine=libaio",
        "--norandommap");
  }
}
