package dev.tandem.bench.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What synchronisation must not exceed, and whether it did in these results. */
public final class SyncLimits {

  /** Of a core that a background thread may use. */
  private static final double SHARE = 0.06;

  private static final double IDLE_SHARE = 0.005;
  private static final double IDLE_RATIO = 1.02;

  /** How many involuntary switches fewer than those of the parked baseline. */
  private static final double FEWER_SWITCHES = 0.25;

  private final List<SyncRow> rows;
  private final List<Verdict> verdicts = new ArrayList<>();

  /**
   * One demand.
   *
   * @param reached what was measured
   */
  public record Verdict(String what, double limit, double reached) {

    public boolean met() {
      return reached <= limit;
    }
  }

  private SyncLimits(List<SyncRow> rows) {
    this.rows = rows;
  }

  /** Compares all demands for which there are results. */
  public static List<Verdict> check(List<SyncRow> rows) {
    SyncLimits limits = new SyncLimits(rows);
    rows.forEach(limits::check);
    return limits.verdicts;
  }

  private void check(SyncRow row) {
    switch (row.policy()) {
      case "topo" -> {
        ratioToBaseline(row, 0.80, 0.85);
        if (row.ratioToBuckets() > 0) {
          add(row, "step time to that of buckets", 1.0, row.ratioToBuckets());
        }
        add(row, "background threads' share of a core", SHARE, row.backgroundCpuShare());
        switches(row);
      }
      case "nbcs" -> ratioToBaseline(row, 0.85, 0.85);
      case "idle-topo" -> {
        add(row, "background thread's share of a core", IDLE_SHARE, row.backgroundCpuShare());
        add(row, "upper end of the interval of step times", IDLE_RATIO, row.ratioHigh());
      }
      default -> {}
    }
  }

  private void ratioToBaseline(SyncRow row, double heavy, double light) {
    String what = "step time to that of the baseline" + withoutSums(row);
    switch (SyncInput.of(row.input())) {
      case HEAVY -> add(row, what, heavy, row.ratioToBaseline());
      case LIGHT -> add(row, what, light, row.ratioToBaseline());
      case SYNTHETIC -> {}
    }
  }

  /** What the ratio is when nothing is summed at all. */
  private String withoutSums(SyncRow row) {
    return rows.stream()
        .filter(other -> other.policy().equals(SyncEffort.NONE) && other.measuredBeside(row))
        .map(none -> String.format(Locale.ROOT, " (%.3f without sums)", none.ratioToBaseline()))
        .findFirst()
        .orElse("");
  }

  private void switches(SyncRow row) {
    for (SyncRow parked : rows) {
      if (parked.policy().equals("baseline-parked") && parked.measuredBeside(row)) {
        add(
            row,
            "involuntary switches a step, limit of the parked baseline's",
            FEWER_SWITCHES * parked.involuntarySwitchesPerIteration(),
            row.involuntarySwitchesPerIteration());
      }
    }
  }

  private void add(SyncRow row, String what, double limit, double reached) {
    String which =
        row.idle()
            ? row.policy()
            : String.format(
                Locale.ROOT, "%s, %s, %.0f ms", row.policy(), row.input(), row.cycleMillis());
    verdicts.add(new Verdict("%s: %s".formatted(which, what), limit, reached));
  }
}
