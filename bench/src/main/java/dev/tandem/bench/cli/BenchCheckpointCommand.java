package dev.tandem.bench.cli;

import dev.tandem.bench.checkpoint.CheckpointBenchmark;
import dev.tandem.bench.checkpoint.CheckpointBenchmark.Effort;
import dev.tandem.bench.checkpoint.CheckpointRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.Patterns;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what checkpoints cost. */
@Command(
    name = "checkpoint",
    description = {
      "Measures what saving the state of a network costs (ResNet-18, ResNet-50, VGG16, with"
          + " momentum): our shards in the background and not, by 1, 2 and 4 ranks, rank 0 alone,"
          + " a whole copy by every rank, safetensors, NPZ, HDF5, zstd, torch.save + fsync, a raw"
          + " O_DIRECT write, alone and with as many writes under way as ours, and a memcpy; all"
          + " take turns, medians of rounds. Then 2 processes save and restore, also in two network"
          + " namespaces and in each other's memory; ResNet-18 trains without and with a checkpoint"
          + " every 10 steps, and in 2 processes at determinism fast and run, where the bits of"
          + " runs with checkpoints and from them are compared; and up to 256 ranks are computed"
          + " (not measured). torch.save needs python3-torch, namespaces need root."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench checkpoint --quick             ResNet-18 alone, a minute",
      "  ./tandem bench checkpoint --dir /scratch --json b.json",
      "  ./tandem bench checkpoint --contender 'resnet50 (raw|shards async 1)'"
    })
final class BenchCheckpointCommand extends TandemCommand {

  @Option(names = "--quick", description = "ResNet-18 alone, few rounds.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Saves of every contender. Default: 10, with --quick 2.")
  private Integer rounds;

  @Option(
      names = "--contender",
      paramLabel = "PATTERN",
      description =
          "Only contenders with this regular expression in model, format, mode and ranks:"
              + " 'shards async 1', 'shards async 2 processes' (or namespaces). The trainings are"
              + " resnet18-training and resnet18-determinism.")
  private String contenders = "";

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "A folder on the disk to measure; needs 5 GB. Default: the current one.")
  private Path folder;

  @Override
  protected Object run() {
    if (!Files.isDirectory(folder)) {
      throw new UsageException("--dir: there is no folder " + folder);
    }
    if (rounds != null && rounds < 1) {
      throw new UsageException("--rounds must be at least 1");
    }
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (rounds != null) {
      effort = effort.withRounds(rounds);
    }
    effort = effort.with(Patterns.of("--contender", contenders).asPredicate());
    CheckpointBenchmark.Results results =
        new CheckpointBenchmark(
                effort,
                folder.toAbsolutePath(),
                ConsoleProgress.system(),
                line -> err().println("tandem: " + line))
            .run();
    if (results.rows().isEmpty()) {
      throw new UsageException("no contender has --contender " + contenders);
    }
    print(results);
    return results;
  }

  private void print(CheckpointBenchmark.Results results) {
    out().println(results.rows().getFirst().machine());
    out()
        .printf(
            "%-20s %-12s %-10s %5s %-10s %-11s %14s %9s %8s %9s %7s %10s%n",
            "model",
            "format",
            "mode",
            "ranks",
            "place",
            "determinism",
            "bytes",
            "stall ms",
            "write s",
            "restore s",
            "MB/s",
            "overhead");
    for (CheckpointRow row : results.rows()) {
      out()
          .printf(
              Locale.ROOT,
              "%-20s %-12s %-10s %5d %-10s %-11s %,14d %9.2f %8s %9s %7s %10s%s%n",
              row.model(),
              row.format(),
              row.mode(),
              row.ranks(),
              row.study().place(),
              row.study().determinism(),
              row.bytes(),
              row.stallMillis(),
              number("%.3f", row.writeSeconds()),
              number("%.3f", row.study().restoreSeconds()),
              number("%.0f", row.megabytesPerSecond()),
              number("%.2f%%", row.overheadPercent()),
              remark(row));
    }
  }

  /** Nothing where nothing was measured. */
  private static String number(String format, double value) {
    return value == 0 ? "" : String.format(Locale.ROOT, format, value);
  }

  private static String remark(CheckpointRow row) {
    if (row.projected()) {
      return "  projected, not measured";
    }
    return switch (row.study().sameBits()) {
      case "yes" -> "  same bits with checkpoints and after a restart";
      case "no" -> "  bits differ";
      default -> "";
    };
  }
}
