package dev.tandem.cli;

import dev.tandem.parallel.cost.PlanReport;
import dev.tandem.train.PlannedRank;
import dev.tandem.train.config.TrainingConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plans of a run's ranks: one table for all ranks whose tables are the same. */
record PlanText(TrainingConfig config, int ranks) {

  /**
   * What {@code --json} gets of a rank.
   *
   * @param bytesSent in a step
   * @param inputBytesSent of these, to hand samples on
   * @param memoryBytes that it needs
   */
  record Rank(
      int rank, long bytesSent, long inputBytesSent, long memoryBytes, List<String> notes) {}

  /** What {@code --json} gets. */
  record Results(String strategy, List<Rank> ranks) {}

  /** Prints the tables. */
  Results print(PrintWriter out) {
    List<Rank> results = new ArrayList<>();
    Map<List<String>, List<Integer>> tables = new LinkedHashMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      PlanReport plan = PlannedRank.of(config, ranks, rank);
      results.add(
          new Rank(
              rank,
              plan.sent().bytesSent(),
              plan.step().samples().bytesSent(),
              plan.memory().total(),
              plan.network().notes()));
      List<String> lines = plan.lines();
      tables.computeIfAbsent(lines.subList(1, lines.size()), _ -> new ArrayList<>()).add(rank);
    }
    String strategy = config.mesh(ranks).toString();
    tables.forEach(
        (lines, same) -> {
          out.printf(
              "plan of %s %s of %d%s%n",
              same.size() == 1 ? "rank" : "ranks",
              String.join(", ", same.stream().map(String::valueOf).toList()),
              ranks,
              strategy.isEmpty() ? "" : " (" + strategy + ")");
          lines.forEach(out::println);
          out.println();
        });
    return new Results(strategy, results);
  }
}
