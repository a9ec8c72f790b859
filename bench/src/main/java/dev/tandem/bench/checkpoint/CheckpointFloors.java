package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** What checkpoints must not cost more than, and whether they did in these results. */
public final class CheckpointFloors {

  private static final double OVERHEAD_PERCENT = 2;
  private static final double STALL_TO_MEMCPY = 1.3;
  private static final double BANDWIDTH_TO_RAW = 0.85;
  private static final double FASTER_THAN_TORCH = 1.3;
  private static final double STALL_TO_TORCH = 0.2;

  private final List<Verdict> verdicts = new ArrayList<>();

  /**
   * One demand.
   *
   * @param atMost the limit is a most, not a least
   * @param reached what was measured: the median over the rounds of the ratio within a round
   * @param low where the 95% interval of that begins
   * @param high where it ends
   */
  public record Verdict(
      String what, boolean atMost, double limit, double reached, double low, double high) {

    public boolean met() {
      return atMost ? reached <= limit : reached >= limit;
    }
  }

  /** All demands so far. */
  List<Verdict> verdicts() {
    return List.copyOf(verdicts);
  }

  /** Compares the saves of one state, as far as there are any. */
  void saving(ModelState state, Map<Saving, List<Saving.Times>> times) {
    Optional<List<Saving.Times>> ours = of(times, "shards", "async");
    ours.ifPresent(
        saved -> {
          of(times, "memcpy", "baseline").ifPresent(copies -> toMemcpy(state, saved, copies));
          of(times, "raw", "baseline").ifPresent(raw -> toRaw(state, saved, raw));
          of(times, "torch.save", "rank0").ifPresent(torch -> toTorch(state, saved, torch));
        });
  }

  private void toMemcpy(ModelState state, List<Saving.Times> ours, List<Saving.Times> copies) {
    demand(
        state.name() + ": stall of an async save to a memcpy of the state",
        true,
        STALL_TO_MEMCPY,
        ratio(ours, Saving.Times::stallSeconds, copies, Saving.Times::totalSeconds));
  }

  private void toRaw(ModelState state, List<Saving.Times> ours, List<Saving.Times> raw) {
    demand(
        state.name() + ": write bandwidth of an async save to a raw O_DIRECT write",
        false,
        BANDWIDTH_TO_RAW,
        ratio(raw, Saving.Times::writeSeconds, ours, Saving.Times::writeSeconds));
  }

  private void toTorch(ModelState state, List<Saving.Times> ours, List<Saving.Times> torch) {
    demand(
        state.name() + ": torch.save + fsync to an async save, until committed",
        false,
        FASTER_THAN_TORCH,
        ratio(torch, Saving.Times::totalSeconds, ours, Saving.Times::totalSeconds));
    demand(
        state.name() + ": stall of an async save to that of torch.save",
        true,
        STALL_TO_TORCH,
        ratio(ours, Saving.Times::stallSeconds, torch, Saving.Times::stallSeconds));
  }

  /** Compares trainings. */
  void training(List<CheckpointRow> rows) {
    for (CheckpointRow row : rows) {
      if (row.mode().equals("async")) {
        demand(
            row.model() + ": overhead of a background save every 10 steps in percent",
            true,
            OVERHEAD_PERCENT,
            new Bootstrap(
                row.overheadPercent(), row.overheadLowPercent(), row.overheadHighPercent()));
      }
    }
  }

  private void demand(String what, boolean atMost, double limit, Bootstrap reached) {
    verdicts.add(new Verdict(what, atMost, limit, reached.median(), reached.low(), reached.high()));
  }

  private static Optional<List<Saving.Times>> of(
      Map<Saving, List<Saving.Times>> times, String format, String mode) {
    return times.entrySet().stream()
        .filter(entry -> entry.getKey().format().equals(format))
        .filter(entry -> entry.getKey().mode().equals(mode) && entry.getKey().ranks() == 1)
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static Bootstrap ratio(
      List<Saving.Times> above,
      ToDoubleFunction<Saving.Times> aboveTime,
      List<Saving.Times> below,
      ToDoubleFunction<Saving.Times> belowTime) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < above.size(); round++) {
      ratios.add(
          aboveTime.applyAsDouble(above.get(round)) / belowTime.applyAsDouble(below.get(round)));
    }
    return Bootstrap.of(ratios);
  }
}
