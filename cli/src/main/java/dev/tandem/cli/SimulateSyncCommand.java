package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.oracle.sync.HostProbe;
import dev.tandem.oracle.sync.NetworkProfile;
import dev.tandem.oracle.sync.Scaling;
import dev.tandem.oracle.sync.SimulatedPolicy;
import dev.tandem.oracle.sync.SimulatedSync;
import dev.tandem.oracle.sync.SyncParameterFile;
import dev.tandem.oracle.sync.SyncParameters;
import dev.tandem.oracle.sync.SyncSimulator;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Projects gradient synchronisation to many ranks. */
@Command(
    name = "sync",
    description = {
      "Simulates gradient synchronisation on up to tens of thousands of ranks: cycles, sleeps that"
          + " last too long, threads that take each other's cores, stragglers, transfers. The same"
          + " seed gives the same results. docs/simulation.md says what was fitted"
          + " and what is predicted."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem simulate sync                                  ResNet50, weak scaling",
      "  ./tandem simulate sync --network all --scaling weak,strong --report r.html",
      "  ./tandem simulate sync --measure --ranks 2,64,4096      with wake-up delays of this"
          + " machine"
    })
final class SimulateSyncCommand extends TandemCommand {

  private static final List<Integer> WEAK_RANKS =
      List.of(1, 6, 24, 96, 384, 768, 1536, 3072, 6144, 12288, 24576);

  /** Fewer would not have the memory for their share of the batch, as published. */
  private static final List<Integer> STRONG_RANKS = WEAK_RANKS.subList(3, WEAK_RANKS.size());

  @Option(
      names = "--network",
      paramLabel = "N",
      split = ",",
      defaultValue = "ResNet50",
      description = "Networks by name, or all. Default: ${DEFAULT-VALUE}")
  private List<String> networks;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      split = ",",
      description = "Numbers of ranks. Default: 1 (strong scaling: 96) up to 24576.")
  private List<Integer> ranks;

  @Option(
      names = "--policy",
      paramLabel = "P",
      split = ",",
      defaultValue = "all",
      description =
          "baseline, gs, nbcs, scp, topo, scp-topo or all; gains are over the baseline."
              + " Default: ${DEFAULT-VALUE}")
  private List<String> policies;

  @Option(
      names = "--scaling",
      paramLabel = "S",
      split = ",",
      defaultValue = "weak",
      description =
          "weak (samples of a rank stay), strong (24,576 samples of all ranks) or both."
              + " Default: ${DEFAULT-VALUE}")
  private List<String> scalings;

  @Option(
      names = "--parameters",
      paramLabel = "FILE",
      description = "Numbers of machine, noise and networks that replace those built in.")
  private Path parameterFile;

  @Option(
      names = "--measure",
      description = "Measure wake-up delays of threads on this machine; takes some seconds.")
  private boolean measure;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of all noise. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write a page with the curves to FILE, too.")
  private Path report;

  /** What {@code --json} gets; the seconds are real, of simulating. */
  record Results(
      boolean simulated,
      SyncParameters parameters,
      long seed,
      double seconds,
      List<SimulatedSync> rows) {}

  @Override
  protected Object run() {
    requireReportFolder();
    SyncParameters parameters = parameters();
    List<NetworkProfile> chosen =
        chosen("--network", networks, parameters.networks(), NetworkProfile::name);
    List<SimulatedPolicy> policyList =
        chosen("--policy", policies, List.of(SimulatedPolicy.values()), SimulatedPolicy::code);
    List<Scaling> scalingList =
        chosen("--scaling", scalings, List.of(Scaling.values()), Scaling::code);
    scalingList.forEach(this::ranks);
    SyncSimulator simulator = new SyncSimulator(parameters, new Seed(seed));
    Progress progress = ConsoleProgress.system();
    List<SimulatedSync> rows = new ArrayList<>();
    long began = System.nanoTime();
    out().println("simulated; " + parameters.origin());
    for (Scaling scaling : scalingList) {
      List<SimulatedSync> table =
          simulator.table(chosen, ranks(scaling), policyList, scaling, progress);
      new SyncTable(table, policyList).print(out());
      rows.addAll(table);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    if (report != null) {
      write(report, SyncCharts.report(rows, parameters).html());
      out().println("simulated curves: " + report);
    }
    return new Results(true, parameters, seed, seconds, rows);
  }

  private SyncParameters parameters() {
    SyncParameters parameters =
        parameterFile == null ? SyncParameterFile.builtIn() : SyncParameterFile.read(parameterFile);
    return measure ? HostProbe.measure(parameters) : parameters;
  }

  private List<Integer> ranks(Scaling scaling) {
    List<Integer> list =
        ranks != null ? ranks : scaling == Scaling.WEAK ? WEAK_RANKS : STRONG_RANKS;
    int most = scaling == Scaling.STRONG ? SyncSimulator.GLOBAL_BATCH : SyncSimulator.MOST_RANKS;
    for (int count : list) {
      if (count < 1 || count > most) {
        throw new UsageException(
            "--ranks %d: %s scaling is simulated for 1 to %,d ranks"
                .formatted(count, scaling.code(), most));
      }
    }
    return list;
  }

  /** Those of the known ones that were named, in the order of naming; "all" names all. */
  private static <T> List<T> chosen(
      String option, List<String> names, List<T> known, Function<T, String> name) {
    if (names.equals(List.of("all"))) {
      return known;
    }
    return names.stream()
        .map(
            wanted ->
                known.stream()
                    .filter(each -> name.apply(each).equalsIgnoreCase(wanted))
                    .findFirst()
                    .orElseThrow(
                        () ->
                            new UsageException(
                                "%s is '%s', expected one of %s"
                                    .formatted(
                                        option,
                                        wanted,
                                        String.join(", ", known.stream().map(name).toList())))))
        .toList();
  }

  /** Minutes of work must not end at a folder that is not there. */
  private void requireReportFolder() {
    if (report != null && !Files.isDirectory(report.toAbsolutePath().getParent())) {
      throw new UsageException(
          "--report %s: no such folder: %s".formatted(report, report.toAbsolutePath().getParent()));
    }
  }

  private static void write(Path file, String text) {
    DurableFiles.system()
        .replace(file.toAbsolutePath(), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }
}
