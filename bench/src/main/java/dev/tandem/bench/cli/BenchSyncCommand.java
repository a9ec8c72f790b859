package dev.tandem.bench.cli;

import dev.tandem.bench.sync.SyncBenchmark;
import dev.tandem.bench.sync.SyncEffort;
import dev.tandem.bench.sync.SyncRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures gradient synchronisation. */
@Command(
    name = "sync",
    description = {
      "Trains a real network on two ranks of one core each, with real decoding and augmentation in"
          + " the input threads (heavy, light, or none: synthetic), under every policy of gradient"
          + " synchronisation. Policies take turns, forward and backward, in one run; step times"
          + " are compared with the spin-and-yield baseline of the same round. Also: the parameters"
          + " under all policies, which must be the same, and an idle synchroniser beside a serial"
          + " loop."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench sync --quick              a few short turns, 75 s at most",
      "  ./tandem bench sync --rounds 20 --json b.json",
      "  ./tandem bench sync --policies topo,nbcs --inputs heavy --cycles 5"
    })
final class BenchSyncCommand extends TandemCommand {

  private static final String HEADING =
      String.format(
          "%-24s %7s %7s %7s %6s %12s %6s %7s %7s %7s %8s %6s %6s %6s %6s %6s %6s %6s %6s",
          "policy",
          "p50 ms",
          "mean ms",
          "p95 ms",
          "ratio",
          "95% interval",
          "means",
          "buckets",
          "backgr.",
          "control",
          "switches",
          "await",
          "input",
          "moving",
          "agreed",
          "cpu",
          "queued",
          "decode",
          "jvm");

  private static final String LEGEND =
      "ratio: median step time over that of the spin-and-yield baseline, below 1 is faster; means:"
          + " the same of mean step times; buckets: over that of buckets; backgr.: of a core that"
          + " the synchroniser's threads use; control: of the time that its thread waits for other"
          + " ranks' consent; switches: per step that took the core from it (yields count, too)."
          + " Milliseconds per step: await, input: that the training thread waits for sums and for"
          + " its batch; moving: that gradients are under way; cpu, queued: that the training"
          + " thread runs, and that it has no core; decode: that input threads run; jvm: that its"
          + " compilers and collector run. agreed: agreements of all ranks per step. inert: the"
          + " policy partitions the cores of a rank, which does nothing with one core per rank.";

  @Option(
      names = "--quick",
      description = "Fewer policies, cycles of 1 ms only, short turns: at most 75 s.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Turns of every policy with every input. Default: 12, with --quick 10; fewer where the"
              + " whole would take longer than 15 minutes, with --quick 75 s.")
  private Integer rounds;

  @Option(
      names = "--policies",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Only these policies, and the baseline. none: nothing is summed and no rank waits for"
              + " another, which no policy can beat.")
  private List<String> policies = List.of();

  @Option(
      names = "--inputs",
      paramLabel = "NAMES",
      split = ",",
      description = "Only these inputs: heavy, light, synthetic.")
  private List<String> inputs = List.of();

  @Option(
      names = "--cycles",
      paramLabel = "MS",
      split = ",",
      description = "Only these cycle times, in milliseconds. Default: 1,5, with --quick 1.")
  private List<Double> cycles = List.of();

  @Option(
      names = "--images",
      paramLabel = "N",
      description =
          "Images of a rank and step. Fewer make steps shorter, and synchronisation more of them.")
  private Integer images;

  @Override
  protected List<SyncRow> run() {
    SyncEffort effort = quick ? SyncEffort.QUICK : SyncEffort.FULL;
    if (!policies.isEmpty()) {
      effort = effort.withPolicies(policies);
    }
    if (!inputs.isEmpty()) {
      effort = effort.withInputs(inputs);
    }
    if (!cycles.isEmpty()) {
      effort = effort.withCycles(cycles);
    }
    if (images != null) {
      if (images < 1) {
        throw new UsageException("--images must be at least 1");
      }
      effort = effort.withImages(images);
    }
    if (rounds != null) {
      if (rounds < 1) {
        throw new UsageException("--rounds must be at least 1");
      }
      effort = effort.withRounds(rounds);
    }
    SyncBenchmark benchmark = new SyncBenchmark(effort, ConsoleProgress.system());
    List<SyncRow> rows = benchmark.run();
    print(rows);
    benchmark.parameters().ifPresent(line -> out().println(line));
    return rows;
  }

  private void print(List<SyncRow> rows) {
    out().println(rows.getFirst().machine());
    String section = "";
    for (SyncRow row : rows) {
      if (row.idle()) {
        printIdle(row);
        continue;
      }
      String title = "%s input, cycles of %.0f ms".formatted(row.input(), row.cycleMillis());
      if (!title.equals(section)) {
        out().printf("%n%s, 2 ranks of one core each, medians of %d rounds%n", title, row.rounds());
        out().println(HEADING);
        section = title;
      }
      printRow(row);
    }
    out().printf("%n%s%n", LEGEND);
  }

  private void printRow(SyncRow row) {
    out()
        .printf(
            Locale.ROOT,
            "%-24s %7.2f %7.2f %7.2f %6.3f %12s %6.3f %7.3f %6.1f%% %6.1f%% %8.2f %6.2f %6.2f %6.2f"
                + " %6.1f %6.2f %6.2f %6.2f %6.2f%n",
            row.policy() + (row.inert() ? " (inert)" : ""),
            row.iterationMillis(),
            row.meanMillis(),
            row.p95Millis(),
            row.ratioToBaseline(),
            String.format(Locale.ROOT, "%.3f..%.3f", row.ratioLow(), row.ratioHigh()),
            row.ratioOfMeans(),
            row.ratioToBuckets(),
            100 * row.backgroundCpuShare(),
            100 * row.controlWaitShare(),
            row.involuntarySwitchesPerIteration(),
            row.awaitMillis(),
            row.inputWaitMillis(),
            row.transferMillis(),
            row.agreementsPerIteration(),
            row.engineCpuMillis(),
            row.engineQueuedMillis(),
            row.inputCpuMillis(),
            row.otherCpuMillis());
  }

  private void printIdle(SyncRow row) {
    out()
        .printf(
            Locale.ROOT,
            "%n%s: a synchroniser that has nothing to do beside a serial loop, %d pairs: step times"
                + " x%.4f (%.4f..%.4f), its thread uses %.3f%% of a core%n",
            row.policy(),
            row.rounds(),
            row.ratioToBaseline(),
            row.ratioLow(),
            row.ratioHigh(),
            100 * row.backgroundCpuShare());
  }
}
