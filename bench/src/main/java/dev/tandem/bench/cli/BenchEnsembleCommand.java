package dev.tandem.bench.cli;

import static java.util.stream.Collectors.toSet;

import dev.tandem.bench.ensemble.EnsembleBenchmark;
import dev.tandem.bench.ensemble.EnsembleEffort;
import dev.tandem.bench.ensemble.EnsemblePlots;
import dev.tandem.bench.ensemble.EnsembleRow;
import dev.tandem.bench.ensemble.EnsembleStudy;
import dev.tandem.bench.ensemble.ImageConsumer;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the pipelines of ensembles. */
@Command(
    name = "ensemble",
    description = {
      "Delivers JPEG images, decoded, cut out, resized and augmented, to the members of an ensemble"
          + " by every pipeline: processes that prepare all images for themselves, or share the"
          + " work. Members wait as if an accelerator computed, at 1.35, 0.31 and 0.14 of the rate"
          + " at which one process prepares images, or train a small network. Prints the processor"
          + " time of 1,000 images for each member, and how many images each could get with a limit"
          + " of its own."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench ensemble --quick            duplicated and all-shared: 3 minutes at most",
      "  ./tandem bench ensemble --members 4 --consumers 0.31,train",
      "  ./tandem bench ensemble --only unequal,adaptive,exact",
      "  ./tandem bench ensemble --json ensemble.json --report ensemble.html"
    })
final class BenchEnsembleCommand extends TandemCommand {

  @Option(names = "--quick", description = "Duplicated and all-shared, one consumer.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of every pipeline. Default: 3, with --quick 2.")
  private Integer rounds;

  @Option(
      names = "--members",
      paramLabel = "N",
      split = ",",
      description = "Members of an ensemble. Default: 2,4,8, with --quick 2,4.")
  private List<Integer> members;

  @Option(
      names = "--consumers",
      paramLabel = "C",
      split = ",",
      description = "1.35, 0.31, 0.14 or train. Default: all, with --quick 0.31.")
  private List<String> consumers;

  @Option(
      names = "--only",
      paramLabel = "STUDY",
      split = ",",
      description =
          "cost, unequal, adaptive, exact, peak or slowdown. Default: all, with --quick cost and"
              + " peak.")
  private List<String> only;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write a page with plots: peak(n), processor time beside all-shared.")
  private Path report;

  @Override
  protected List<EnsembleRow> run() {
    EnsembleEffort effort = quick ? EnsembleEffort.QUICK : EnsembleEffort.FULL;
    if (rounds != null) {
      effort = effort.withRounds(rounds);
    }
    if (members != null) {
      effort = effort.withMembers(members);
    }
    if (consumers != null) {
      effort = effort.withConsumers(consumers.stream().map(ImageConsumer::of).toList());
    }
    if (only != null) {
      effort = effort.withStudies(only.stream().map(EnsembleStudy::of).collect(toSet()));
    }
    List<EnsembleRow> found = new ArrayList<>();
    List<EnsembleRow> rows =
        new EnsembleBenchmark(effort, ConsoleProgress.system())
            .run(
                study -> {
                  found.addAll(study);
                  save(found); // a long benchmark may be interrupted
                  print(study);
                });
    if (report != null) {
      byte[] page = EnsemblePlots.of(rows).html().getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(report.toAbsolutePath(), ByteBuffer.wrap(page));
      out().printf("%nreport: %s%n", report);
    }
    return rows;
  }

  private void print(List<EnsembleRow> rows) {
    out().printf("%n%s%n%s%n", rows.getFirst().machine(), title(rows.getFirst().study()));
    out()
        .printf(
            "%-18s %7s %8s %10s %10s %10s %10s %7s %6s%n",
            "pipeline",
            "members",
            "consumer",
            "CPU s",
            "train s",
            "peak",
            "images/s",
            "ratio",
            "exact");
    for (EnsembleRow row : rows) {
      out()
          .printf(
              "%-18s %7d %8s %10s %10s %10s %10s %7s %6s%s%n",
              row.pipeline(),
              row.members(),
              row.consumer(),
              number("%.2f", row.cpuSecondsPer1000()),
              number("%.2f", row.trainCpuSeconds()),
              number("%.1f", row.peakImagesPerSecond()),
              number("%.1f", row.imagesPerSecond()),
              number("%.3f", row.ratio()),
              row.exact() ? "yes" : "NO",
              row.note() == null ? "" : "  " + row.note());
    }
    out().flush();
  }

  private static String title(String study) {
    return switch (study) {
      case "cost" ->
          "Processor seconds for 1,000 images to each member; ratio: to duplicated in the same"
              + " round";
      case "peak" ->
          "Most images per second for each member with 0.4 cores; ratio: to members x what one"
              + " prepares";
      case "slowdown" -> "0.05 cores for each member; ratio: how much slower than with 0.4";
      case "unequal" -> "Members of different speed and batch size";
      case "exact" -> "Every image once";
      case "adaptive" -> "Members that become five times as fast";
      default -> study;
    };
  }

  private static String number(String format, Double number) {
    return number == null ? "" : String.format(Locale.ROOT, format, number);
  }
}
