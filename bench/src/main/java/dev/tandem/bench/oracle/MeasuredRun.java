package dev.tandem.bench.oracle;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Ranks;
import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a training run took.
 *
 * @param seconds of a step without waiting for input, mean of those after the first
 * @param steps that count
 * @param parts milliseconds of forward, backward, sync and update
 * @param tensorBytes the most that tensors of a rank had at once
 */
record MeasuredRun(double seconds, int steps, List<Double> parts, long tensorBytes) {

  private static final List<String> KNOWN =
      List.of(OracleRankMain.STEPS, OracleRankMain.PARTS, OracleRankMain.MEMORY);

  /**
   * Trains as {@code tandem train} does, by processes.
   *
   * @param cuts the layers that begin the stages after the first, of a pipeline
   */
  static MeasuredRun of(OracleCase run, List<String> cuts, OracleEffort effort) {
    Map<String, String> lines = new ConcurrentHashMap<>();
    try (BenchFolder folder = BenchFolder.in(Path.of(System.getProperty("java.io.tmpdir")))) {
      LaunchPlan plan =
          LaunchPlan.of(
                  run.ranks(),
                  OracleRankMain.class.getName(),
                  List.of(
                      run.network(),
                      run.strategy(),
                      Integer.toString(run.batch()),
                      Integer.toString(effort.steps() + 1),
                      Double.toString(effort.seconds()),
                      folder.path().resolve("run").toString(),
                      String.join(", ", cuts)))
              .withEnvironment(Map.of(TransportKind.VARIABLE, TransportKind.SHARED_MEMORY.code()))
              .compilingLater();
      Ranks.run(
          run.toString(),
          plan,
          line -> {
            for (String known : KNOWN) {
              if (line.startsWith(known)) {
                lines.put(known, line.substring(known.length()));
              }
            }
          });
    }
    if (lines.size() < KNOWN.size()) {
      throw new WorkFailedException(run + " ended without figures");
    }
    double[] millis =
        Arrays.stream(lines.get(OracleRankMain.STEPS).split(" ", -1))
            .mapToDouble(Double::parseDouble)
            .skip(1)
            .toArray();
    return new MeasuredRun(
        Arrays.stream(millis).average().orElseThrow() / 1e3,
        millis.length,
        Arrays.stream(lines.get(OracleRankMain.PARTS).split(" ", -1)).map(Double::valueOf).toList(),
        Long.parseLong(lines.get(OracleRankMain.MEMORY)));
  }
}
