package dev.tandem.cli;

import dev.tandem.bench.sync.SyncBenchmark;
import dev.tandem.bench.sync.SyncEffort;
import dev.tandem.bench.sync.SyncRow;
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
          + " synchronisation. Policies take turns, forward and backward, in one run; step times are"
          + " compared with the spin-and-yield baseline of the same round. Also: the parameters"
          + " under all policies, which must be the same, and an idle synchroniser beside a serial"
          + " loop."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench sync --quick              a few short turns, 75 s at most",
      "  ./tandem bench sync --rounds 20 --json b.json",
      "  ./tandem bench sync --study pool,transfers"
    })
final class BenchSyncCommand extends TandemCommand {

  @Option(
      names = "--quick",
      description = "Fewer policies, cycles of 1 ms only, short turns: at most 75 s.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Turns of every policy with every input. Default: 12, with --quick 10 or fewer.")
  private Integer rounds;

  @Option(
      names = "--study",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Instead of all policies, options of topo beside it: pool (background and input threads"
              + " share one pool with no more threads than cores), transfers (several at once, and"
              + " every tensor by itself).")
  private List<String> studies = List.of();

  @Override
  protected List<SyncRow> run() {
    SyncEffort effort = quick ? SyncEffort.QUICK : SyncEffort.FULL;
    if (!studies.isEmpty()) {
      effort = effort.withStudies(studies);
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
    out().printf("medians of %d rounds, 2 ranks of one core each%n", rows.getFirst().rounds());
    String section = "";
    for (SyncRow row : rows) {
      String title = "%s input, cycles of %.0f ms".formatted(row.input(), row.cycleMillis());
      if (row.cycleMillis() > 0 && !title.equals(section)) {
        out()
            .printf(
                "%n%s%n%-24s %9s %9s %8s %14s %10s %10s %10s %10s%n",
                title,
                "policy",
                "step ms",
                "p95 ms",
                "ratio",
                "95% interval",
                "to buckets",
                "background",
                "waits",
                "switches");
        section = title;
      }
      if (row.cycleMillis() > 0) {
        out()
            .printf(
                Locale.ROOT,
                "%-24s %9.2f %9.2f %8.3f %14s %10.3f %9.1f%% %9.1f%% %10.2f%n",
                row.policy(),
                row.iterationMillis(),
                row.p95Millis(),
                row.ratioToBaseline(),
                String.format(Locale.ROOT, "%.3f..%.3f", row.ratioLow(), row.ratioHigh()),
                row.ratioToBuckets(),
                100 * row.backgroundCpuShare(),
                100 * row.controlWaitShare(),
                row.involuntarySwitchesPerIteration());
      } else {
        out()
            .printf(
                Locale.ROOT,
                "%nidle synchroniser beside a serial loop: step times x%.4f (%.4f..%.4f), its thread"
                    + " uses %.3f%% of a core%n",
                row.ratioToBaseline(),
                row.ratioLow(),
                row.ratioHigh(),
                100 * row.backgroundCpuShare());
      }
    }
    out()
        .printf(
            "%nratio: step time over that of the spin-and-yield baseline, below 1 is faster;"
                + " background: of a core that the synchroniser's threads use; waits: of the time that"
                + " its thread waits for other ranks; switches: a step that took the core from it"
                + " (yields count, too).%n");
  }
}
