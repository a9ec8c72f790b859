package dev.tandem.bench.ensemble;

import dev.tandem.bench.Spread;
import dev.tandem.core.Progress;
import dev.tandem.ensemble.Pipeline;
import dev.tandem.posix.ControlGroup;
import dev.tandem.posix.GroupLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What members get when each has no more than a share of a core: as if each had a machine of its
 * own. The processes stay limited. Where that is not allowed, what they get of the whole machine.
 */
final class LimitStudy implements AutoCloseable {

  /** A member's machine. */
  static final double CORES = 0.4;

  /** The same with fewer cores: of 16, two. */
  private static final double FEW_CORES = 0.05;

  private static final GroupLimit LIMIT = new GroupLimit.Processors(CORES, Duration.ofMillis(10));

  /** A quota is a millisecond at least. */
  private static final GroupLimit FEW = new GroupLimit.Processors(FEW_CORES, Duration.ofMillis(20));

  private static final int FEW_IMAGES = 64;

  private record Case(Pipeline pipeline, int members) {}

  private final MemberPool pool;
  private final EnsembleEffort effort;
  private final Progress progress;
  private final Optional<String> missing;
  private final List<ControlGroup> groups = new ArrayList<>();
  private final List<ControlGroup> few = new ArrayList<>();
  private final Map<Case, List<Double>> peaks = new LinkedHashMap<>();
  private final Map<Case, Boolean> exact = new LinkedHashMap<>();

  LimitStudy(MemberPool pool, EnsembleEffort effort, Progress progress) {
    this.pool = pool;
    this.effort = effort;
    this.progress = progress;
    this.missing = ControlGroup.missing(LIMIT);
    for (int i = 0; i < effort.processes() && missing.isEmpty(); i++) {
      groups.add(ControlGroup.with("member-" + i, List.of(LIMIT)));
      few.add(ControlGroup.with("few-" + i, List.of(FEW)));
    }
    limit(groups);
  }

  /** Why members cannot be limited on this machine, if so. */
  Optional<String> missing() {
    return missing;
  }

  /** Whether the machine has the cores of so many members. */
  private static boolean fits(int members) {
    return members * CORES <= Runtime.getRuntime().availableProcessors();
  }

  private void limit(List<ControlGroup> to) {
    List<MemberProcess> processes = pool.first(to.size());
    for (int i = 0; i < processes.size(); i++) {
      to.get(i).add(processes.get(i).pid());
    }
  }

  /** How many images each member can get: of all pipelines, and relative to members alone. */
  List<EnsembleRow> peaks(String machine) {
    int cases = effort.members().size() * effort.pipelines().size();
    try (Progress.Task task =
        progress.start("most images", (long) cases * effort.rounds(), "cases")) {
      long done = 0;
      for (int round = 0; round < effort.rounds(); round++) {
        List<Pipeline> order = round % 2 == 0 ? effort.pipelines() : effort.pipelines().reversed();
        for (int members : effort.members()) {
          for (Pipeline pipeline : order) {
            MemberPool.Measured measured =
                pool.run(
                    pool.requests(pipeline, members, EnsembleImages.COUNT / 2, effort.images()));
            Case one = new Case(pipeline, members);
            peaks.computeIfAbsent(one, _ -> new ArrayList<>()).add(measured.imagesPerSecond());
            exact.merge(one, measured.exact(), Boolean::logicalAnd);
            task.advanceTo(++done);
          }
        }
      }
    }
    List<EnsembleRow> rows = new ArrayList<>();
    peaks.forEach((one, rates) -> rows.add(row(one, rates, machine)));
    return rows;
  }

  private EnsembleRow row(Case one, List<Double> rates, String machine) {
    List<Double> alone = peaks.get(new Case(new Pipeline.Duplicated(), one.members));
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rates.size(); round++) {
      ratios.add(rates.get(round) / (one.members * alone.get(round)));
    }
    return new EnsembleRow(
        "peak",
        one.pipeline.word(),
        one.members,
        "drain",
        null,
        null,
        Spread.of(rates).median(),
        Spread.of(rates).median(),
        Spread.of(ratios).median(),
        missing.isPresent() ? 0 : CORES,
        exact.get(one),
        rates.size(),
        note(one.members),
        machine);
  }

  private String note(int members) {
    if (missing.isPresent()) {
      return "no limit: " + missing.get();
    }
    return fits(members)
        ? null
        : String.format(
            Locale.ROOT, "%d members of %.1f cores are more than the machine has", members, CORES);
  }

  /** The thesis' table: how much slower members are with an eighth of their cores. */
  List<EnsembleRow> slowdowns(String machine) {
    int members =
        effort.members().stream()
            .filter(LimitStudy::fits)
            .reduce(Math::max)
            .orElse(effort.members().getFirst());
    double prepared = Spread.of(peaks.get(new Case(new Pipeline.Duplicated(), members))).median();
    List<Pipeline> pipelines = List.of(new Pipeline.Duplicated(), new Pipeline.AllShared());
    List<ImageConsumer> consumers =
        List.of(ImageConsumer.FAST, ImageConsumer.MEDIUM, ImageConsumer.SLOW);
    List<EnsembleRow> rows = new ArrayList<>();
    Map<String, Double> whole = new LinkedHashMap<>();
    try (Progress.Task task = progress.start("few cores", 12, "cases")) {
      for (boolean fewer : List.of(false, true)) {
        limit(fewer ? few : groups);
        for (Pipeline pipeline : pipelines) {
          for (ImageConsumer consumer : consumers) {
            MemberPool.Measured measured =
                pool.run(
                    pool.requests(pipeline, members, FEW_IMAGES, FEW_IMAGES).stream()
                        .map(request -> request.withRate(consumer.share() * prepared))
                        .toList());
            String key = pipeline.word() + consumer;
            if (!fewer) {
              whole.put(key, measured.imagesPerSecond());
            } else {
              rows.add(
                  new EnsembleRow(
                      "slowdown",
                      pipeline.word(),
                      members,
                      consumer.code(),
                      null,
                      null,
                      null,
                      measured.imagesPerSecond(),
                      whole.get(key) / measured.imagesPerSecond(),
                      FEW_CORES,
                      measured.exact(),
                      1,
                      null,
                      machine));
            }
            task.advanceTo(whole.size() + rows.size());
          }
        }
      }
    }
    return rows;
  }

  @Override
  public void close() {
    pool.close(); // a group goes when its processes have ended
    groups.forEach(ControlGroup::close);
    few.forEach(ControlGroup::close);
  }
}
