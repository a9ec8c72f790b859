package dev.tandem.bench.ensemble;

import dev.tandem.bench.Spread;
import dev.tandem.core.Progress;
import dev.tandem.ensemble.Pipeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What each pipeline costs: processor time for images that each member got. */
final class CostStudy {

  /** One case of a round. */
  private record Case(Pipeline pipeline, int members, ImageConsumer consumer) {}

  /** What it measured, over all members. */
  private record Cost(
      double cpuSecondsPer1000, double trainCpuSeconds, double imagesPerSecond, boolean exact) {}

  private final MemberPool pool;
  private final EnsembleEffort effort;
  private final Progress progress;
  private final double prepared;
  private final Map<Case, List<Cost>> costs = new LinkedHashMap<>();

  /**
   * A study.
   *
   * @param prepared images per second that one process prepares
   */
  CostStudy(MemberPool pool, EnsembleEffort effort, double prepared, Progress progress) {
    this.pool = pool;
    this.effort = effort;
    this.prepared = prepared;
    this.progress = progress;
  }

  List<EnsembleRow> run(String machine) {
    int cases = effort.members().size() * effort.consumers().size() * effort.pipelines().size();
    try (Progress.Task task =
        progress.start("cost of preparation", (long) cases * effort.rounds(), "cases")) {
      long done = 0;
      for (int round = 0; round < effort.rounds(); round++) {
        List<Pipeline> order = round % 2 == 0 ? effort.pipelines() : effort.pipelines().reversed();
        for (int members : effort.members()) {
          for (ImageConsumer consumer : effort.consumers()) {
            for (Pipeline pipeline : order) {
              Case one = new Case(pipeline, members, consumer);
              costs.computeIfAbsent(one, _ -> new ArrayList<>()).add(measure(one));
              task.advanceTo(++done);
            }
          }
        }
      }
    }
    return rows(machine);
  }

  private Cost measure(Case one) {
    List<MemberRequest> requests =
        pool.requests(one.pipeline, one.members, EnsembleImages.COUNT / 2, effort.images()).stream()
            .map(
                request ->
                    request.images() == 0
                        ? request
                        : one.consumer == ImageConsumer.TRAIN
                            ? request.withTraining()
                            : request.withRate(one.consumer.share() * prepared))
            .toList();
    MemberPool.Measured measured = pool.run(requests);
    double thousands = effort.images() / 1e3;
    return new Cost(
        1e3 * measured.cpuSecondsPerImage(),
        measured.members().stream().mapToDouble(MemberReport::trainCpuSeconds).sum() / thousands,
        measured.imagesPerSecond(),
        measured.exact());
  }

  private List<EnsembleRow> rows(String machine) {
    List<EnsembleRow> rows = new ArrayList<>();
    for (int members : effort.members()) {
      for (ImageConsumer consumer : effort.consumers()) {
        List<Cost> baseline = costs.get(new Case(new Pipeline.Duplicated(), members, consumer));
        for (Pipeline pipeline : effort.pipelines()) {
          List<Cost> own = costs.get(new Case(pipeline, members, consumer));
          List<Double> ratios = new ArrayList<>();
          for (int round = 0; round < own.size(); round++) {
            ratios.add(
                own.get(round).cpuSecondsPer1000() / baseline.get(round).cpuSecondsPer1000());
          }
          boolean trains = consumer == ImageConsumer.TRAIN;
          rows.add(
              new EnsembleRow(
                  "cost",
                  pipeline.word(),
                  members,
                  consumer.code(),
                  median(own, Cost::cpuSecondsPer1000),
                  trains ? median(own, Cost::trainCpuSeconds) : null,
                  null,
                  median(own, Cost::imagesPerSecond),
                  Spread.of(ratios).median(),
                  0,
                  own.stream().allMatch(Cost::exact),
                  own.size(),
                  null,
                  machine));
        }
      }
    }
    return rows;
  }

  private static Double median(List<Cost> costs, ToDoubleFunction<Cost> of) {
    return Spread.of(costs.stream().map(of::applyAsDouble).toList()).median();
  }
}
