package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.board.MetricsFile;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projection.LayerSpan;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.search.ConfiguredCandidate;
import dev.tandem.train.config.TrainingConfig;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * A run of {@code tandem train} beside its projection: by phase from the times of its steps, by
 * layer from those of a few early ones.
 */
final class MeasuredComparison {

  private static final String METRICS = "metrics.jsonl";

  /** At most this many first steps do not count, and at most a quarter of all. */
  private static final int STARTING = 20;

  /** Parts of a step, as metrics name them. */
  private static final List<String> PARTS =
      List.of("read", "forward", "backward", "sync", "update");

  /**
   * A phase, or a layer, in milliseconds of a step.
   *
   * @param deviation in percent of the projection
   */
  record Compared(String what, double measured, double projected, double deviation) {

    static Compared of(String what, double measured, double projected) {
      return new Compared(
          what, measured, projected, projected == 0 ? 0 : 100 * (measured - projected) / projected);
    }

    private double difference() {
      return Math.abs(measured - projected);
    }
  }

  /**
   * What {@code --json} gets.
   *
   * @param phase that deviates most; likewise layer, null and left out if the run timed none
   */
  record Results(
      String run,
      int ranks,
      long steps,
      String projectedBy,
      Compared iteration,
      List<Compared> phases,
      String phase,
      List<Compared> layers,
      @JsonInclude(JsonInclude.Include.NON_NULL) String layer) {}

  private final Path run;
  private final PrintWriter out;
  private final List<Map<String, Double>> steps = new ArrayList<>();
  private final Map<String, JsonNode> timed = new LinkedHashMap<>();
  private int ranks = 1;

  MeasuredComparison(Path run, PrintWriter out) {
    this.run = run;
    this.out = out;
  }

  /**
   * Compares.
   *
   * @param given from what is projected, for a number of ranks
   */
  Results print(IntFunction<MachineBasis> given) {
    Path metrics = run.resolve(METRICS);
    if (!Files.exists(run.resolve(TrainingConfig.FILE)) || !Files.exists(metrics)) {
      throw new UsageException(
          "--measured %s is no run: expected a folder below runs/ with %s and %s"
              .formatted(run, TrainingConfig.FILE, METRICS));
    }
    MetricsFile.forEach(metrics, this::take);
    if (steps.isEmpty()) {
      throw new UsageException("--measured %s: the run has made no steps".formatted(run));
    }
    TrainingConfig config = TrainingConfig.load(run);
    MachineBasis basis = given.apply(ranks);
    Workload workload =
        new Workload(
            config.network(),
            1_000_000,
            config.batch().global(),
            Workload.of(config.network(), 1, 1).activations(),
            config.optimizer().valuesPerParameter(),
            LayerNames.matching(config.network(), config.fineTune().freeze()),
            false,
            false);
    Projection projection =
        new Projector(workload, basis.environment(), Term.ALL)
            .project(ConfiguredCandidate.of(config, ranks));
    Results results = results(basis, projection);
    print(results);
    return results;
  }

  private void take(JsonNode event) {
    switch (event.path("event").asText()) {
      case "begin" -> ranks = event.path("ranks").asInt(ranks);
      case "layers" ->
          event.path("layers").forEach(layer -> timed.put(layer.path("layer").asText(), layer));
      case "step" -> {
        Map<String, Double> step = new LinkedHashMap<>();
        PARTS.forEach(part -> step.put(part, event.path(part).asDouble()));
        step.put("ms", event.path("ms").asDouble() - event.path("save").asDouble());
        steps.add(step);
      }
      default -> {
        // Says nothing about times.
      }
    }
  }

  private double measured(String part) {
    int first = Math.min(STARTING, steps.size() / 4);
    return steps.subList(first, steps.size()).stream()
        .mapToDouble(step -> step.get(part))
        .average()
        .orElse(0);
  }

  private Results results(MachineBasis basis, Projection projection) {
    Map<Phase, Double> seconds = projection.seconds();
    double passes = 0;
    for (Phase phase : Phase.values()) {
      passes += phase.part() == Phase.Part.PASSES ? seconds.get(phase) : 0;
    }
    List<Compared> phases =
        List.of(
            Compared.of("input", measured("read"), 1e3 * seconds.get(Phase.INPUT)),
            Compared.of(
                "forward and backward", measured("forward") + measured("backward"), 1e3 * passes),
            Compared.of("gradients", measured("sync"), 1e3 * seconds.get(Phase.GRADIENTS)),
            Compared.of("update", measured("update"), 1e3 * seconds.get(Phase.UPDATE)));
    List<Compared> layers = new ArrayList<>();
    for (LayerSpan span : projection.layers()) {
      JsonNode layer = timed.get(span.layer());
      if (layer != null) {
        double took =
            layer.path("forward").asDouble()
                + layer.path("backward").asDouble()
                + layer.path("transfer").asDouble();
        layers.add(Compared.of(span.layer(), took, 1e3 * span.total()));
      }
    }
    return new Results(
        run.toString(),
        ranks,
        steps.size(),
        basis.name(),
        Compared.of("iteration", measured("ms"), 1e3 * projection.iteration()),
        phases,
        most(phases).what,
        layers,
        layers.isEmpty() ? null : most(layers).what);
  }

  private static Compared most(List<Compared> all) {
    return all.stream().max(Comparator.comparingDouble(Compared::difference)).orElseThrow();
  }

  private void print(Results results) {
    out.printf(
        "%s: %,d steps of %d process%s; projected by %s%n%n",
        results.run,
        results.steps,
        results.ranks,
        results.ranks == 1 ? "" : "es",
        results.projectedBy);
    out.printf("%-28s %12s %12s %10s%n", "", "measured", "projected", "deviation");
    results.phases.forEach(this::row);
    row(results.iteration);
    out.printf("%ndeviates most: %s", results.phase);
    if (results.layer == null) {
      out.printf("%nno layers were timed: a run times them once, in its steps 17 to 24%n");
      return;
    }
    out.printf(", and of the layers %s%n%n", results.layer);
    results.layers.stream()
        .sorted(Comparator.comparingDouble(layer -> -layer.difference()))
        .limit(5)
        .forEach(this::row);
  }

  private void row(Compared row) {
    out.printf(
        Locale.ROOT,
        "%-28s %9.2f ms %9.2f ms %+9.0f%%%n",
        row.what,
        row.measured,
        row.projected,
        row.deviation);
  }
}
