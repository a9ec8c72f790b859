package dev.tandem.bench.read;

import dev.tandem.posix.ControlGroup;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the storage gives: fio reads the same file with O_DIRECT, one process, many requests in
 * flight, sequentially or (for random orders) at random places in blocks of a record. The two best
 * of several settings are found by a short trial of each; then both run as long as the others do,
 * and the faster counts: one run alone may meet a bad moment of the storage, and a ceiling that is
 * too low proves nothing.
 */
final class FioCeiling implements ReadContender {

  private static final int KILOBYTE = 1024;
  private static final List<Setting> SEQUENTIAL =
      List.of(
          new Setting(128 * KILOBYTE, 16),
          new Setting(256 * KILOBYTE, 8),
          new Setting(512 * KILOBYTE, 8),
          new Setting(1024 * KILOBYTE, 4),
          new Setting(1024 * KILOBYTE, 8),
          new Setting(4096 * KILOBYTE, 4));
  private static final List<Integer> RANDOM_DEPTHS = List.of(8, 32, 128);
  private static final int PAGE = 4096;

  /** Small enough that trials take no time, large enough to tell settings apart. */
  private static final long TRIAL = 256L << 20;

  private final Map<String, List<Setting>> best = new HashMap<>();

  /** Bytes of a request, and requests in flight. */
  record Setting(int block, int depth) {}

  @Override
  public String name() {
    return "ceiling";
  }

  @Override
  public boolean hashes() {
    return false;
  }

  @Override
  public ReadOutcome run(ReadCase what, ControlGroup group) {
    String kind = what.access() + " of " + what.database().name();
    List<Setting> settings = best.computeIfAbsent(kind, any -> choose(what, group));
    long bytes = (long) (what.records() * what.database().bytesPerRecord());
    double bytesPerSecond = 0;
    for (Setting setting : settings) {
      bytesPerSecond = Math.max(bytesPerSecond, measure(what, setting, bytes, group));
    }
    return new ReadOutcome(what.records(), bytes / bytesPerSecond, 0, Map.of(), List.of());
  }

  private static List<Setting> choose(ReadCase what, ControlGroup group) {
    List<Setting> candidates = SEQUENTIAL;
    if (!what.access().inKeyOrder()) {
      int block = (int) (Math.ceil(what.database().bytesPerRecord() / PAGE) * PAGE);
      // A little more than a record's own pages belongs to the tree.
      int own = block > PAGE * 2 ? block - PAGE : PAGE;
      candidates = RANDOM_DEPTHS.stream().map(depth -> new Setting(own, depth)).toList();
    }
    Map<Setting, Double> speeds = new HashMap<>();
    long trial = Math.min(TRIAL, what.database().fileBytes());
    for (Setting candidate : candidates) {
      speeds.put(candidate, measure(what, candidate, trial, group));
    }
    return candidates.stream()
        .sorted(Comparator.comparing(speeds::get).reversed())
        .limit(2)
        .toList();
  }

  private static double measure(ReadCase what, Setting setting, long bytes, ControlGroup group) {
    return FioRun.bytesPerSecond(
        what.database().file(),
        group,
        "--rw=" + (what.access().inKeyOrder() ? "read" : "randread"),
        "--bs=" + setting.block,
        "--iodepth=" + setting.depth,
        "--io_size=" + bytes,
        "--direct=1",
        "--ioengine=libaio",
        "--norandommap");
  }
}
