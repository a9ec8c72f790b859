package dev.tandem.data.read;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Runs the readers of a request: one in this process, several as processes of their own. */
public final class ReadLaunch {

  private ReadLaunch() {}

  /**
   * Reads and returns the reports of all readers, by their numbers.
   *
   * @param log takes what else the processes print
   */
  public static List<ReaderReport> run(ReadRequest request, int readers, Consumer<String> log) {
    return readers == 1 ? List.of(ReadJob.run(request)) : launch(request, readers, log);
  }

  private static List<ReaderReport> launch(ReadRequest request, int readers, Consumer<String> log) {
    List<ReaderReport> reports = new ArrayList<>();
    LaunchPlan plan = LaunchPlan.of(readers, ReaderMain.class.getName(), request.arguments());
    ProcessLauncher launcher =
        new ProcessLauncher(
            plan,
            (rank, source, line) ->
                ReaderReport.ofLine(line)
                    .ifPresentOrElse(
                        report -> {
                          synchronized (reports) {
                            reports.add(report);
                          }
                        },
                        () -> log.accept("[reader " + rank + "] " + line)),
            log);
    LaunchResult result = launcher.run();
    if (result.exitCode() != 0 || reports.size() != readers) {
      throw new WorkFailedException("reading failed: " + result.summary());
    }
    reports.sort(Comparator.comparingInt(ReaderReport::reader));
    return List.copyOf(reports);
  }
}
