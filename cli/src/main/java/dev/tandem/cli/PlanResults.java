package dev.tandem.cli;

import dev.tandem.oracle.search.Advice;
import dev.tandem.oracle.search.Limitation;
import java.util.List;
import java.util.Map;

/** What {@code --json} gets of {@code tandem plan}. */
record PlanResults(String model, String machine, boolean measured, List<PlanResults.Plan> plans) {

  /**
   * One way to train in {@code --json}, times in seconds of an iteration unless they say epoch.
   *
   * @param settings keys of the configuration besides the mesh
   * @param estimated share of the computing time that was estimated, not measured
   * @param sentBytes of the rank that sends most; null unless JSON is wanted, for counting takes
   *     longer than the search
   * @param missingBytes of memory; 0 if it fits
   */
  record Way(
      String kind,
      String strategy,
      List<String> settings,
      double iteration,
      double low,
      double high,
      double epoch,
      double deviceHours,
      Map<String, Double> phases,
      double communication,
      double estimated,
      Long sentBytes,
      long memoryBytes,
      double missingBytes,
      String bottleneck,
      String train) {}

  /** What {@code --json} gets for a number of devices. */
  record Plan(
      int devices,
      int batch,
      int considered,
      double searchSeconds,
      List<Way> ways,
      List<String> impossible,
      List<Limitation> limitations,
      List<Advice.Gain> gains) {}
}
