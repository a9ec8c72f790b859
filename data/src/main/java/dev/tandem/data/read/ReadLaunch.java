package dev.tandem.data.read;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.mode.ReadRequest;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Runs the readers of a request: one in this process, several as processes of their own. */
public final class ReadLaunch {

  private static final String ARCHIVE = "-XX:AOTCache=";
  private static final String MODULES = "--add-modules=";
  private static final String ARCHIVE_WITH_MODULES = "-XX:SharedArchiveFile=";
  private static final String FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=";

  /** From this many on in each reader the optimizing compiler pays: records cost, bytes do not. */
  private static final long MANY_RECORDS = 2_000_000;

  private ReadLaunch() {}

  /**
   * Reads and returns the reports of all readers, by their numbers.
   *
   * @param log takes what else the processes print
   */
  public static List<ReaderReport> run(ReadRequest request, int readers, Consumer<String> log) {
    return readers == 1
        ? List.of(ReadJob.run(request))
        : run(request, Placement.here(readers), log);
  }

  /**
   * Reads by processes on several hosts, which all find the database at the same path.
   *
   * @param log takes what else the processes print
   */
  public static List<ReaderReport> run(
      ReadRequest request, Placement placement, Consumer<String> log) {
    int readers = placement.hosts().size();
    if (Files.exists(request.database())) {
      request.locate().check(request.database());
    }
    List<ReaderReport> reports = new ArrayList<>();
    LaunchPlan usual = LaunchPlan.of(readers, ReaderMain.class.getName(), request.arguments());
    LaunchPlan plan =
        usual
            .withJvmFlags(
                flags(usual.jvmFlags(), isLong(request.iterations(), request.batch(), readers)))
            .compilingLater();
    ProcessLauncher launcher =
        new ProcessLauncher(
            plan,
            placement,
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

  /** Whether readers will read for seconds, as far as is known before the database is open. */
  private static boolean isLong(long iterations, int batch, int readers) {
    return iterations * batch / readers >= MANY_RECORDS;
  }

  /**
   * Readers do without what makes sums faster, and so may use the archive of classes of this JVM:
   * they start in half the time, and read faster in their first second.
   */
  private static List<String> flags(List<String> usual, boolean isLong) {
    List<String> flags = new ArrayList<>();
    for (String flag : usual) {
      if (!flag.startsWith(MODULES)
          && !flag.startsWith(ARCHIVE_WITH_MODULES)
          && !(isLong && flag.startsWith(FIRST_COMPILER_ONLY))) {
        flags.add(flag);
      }
    }
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (flag.startsWith(ARCHIVE)) {
        flags.add(flag);
      }
    }
    return flags;
  }
}
