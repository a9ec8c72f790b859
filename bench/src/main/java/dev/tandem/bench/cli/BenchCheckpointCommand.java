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
          + " O_DIRECT write and a memcpy; all take turns, medians of rounds. Then trains ResNet-18"
          + " without and with a checkpoint every 10 steps, and computes (not measures) up to 256"
          + " ranks. torch.save needs python3-torch."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench checkpoint --quick             ResNet-18 alone, a minute or two",
      "  ./tandem bench checkpoint --dir /scratch --json b.json",
      "  ./tandem bench checkpoint --contender 'resnet50 (raw|shards async 1)'"
    })
final class BenchCheckpointCommand extends TandemCommand {

  @Option(names = "--quick", description = "ResNet-18 alone, few rounds.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Saves of every contender. Default: 10, with --quick 3.")
  private Integer rounds;

  @Option(
      names = "--contender",
      paramLabel = "PATTERN",
      description =
          "Only contenders with this regular expression in model, format, mode and ranks:"
              + " 'shards async 1'. The training is resnet18-training.")
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
            "%-18s %-12s %-10s %5s %14s %12s %9s %9s %10s%n",
            "model", "format", "mode", "ranks", "bytes", "stall ms", "write s", "MB/s", "overhead");
    for (CheckpointRow row : results.rows()) {
      out()
          .printf(
              Locale.ROOT,
              "%-18s %-12s %-10s %5d %,14d %12.2f %9.3f %9.0f %10s%s%n",
              row.model(),
              row.format(),
              row.mode(),
              row.ranks(),
              row.bytes(),
              row.stallMillis(),
              row.writeSeconds(),
              row.megabytesPerSecond(),
              row.overheadPercent() == 0
                  ? ""
                  : String.format(Locale.ROOT, "%.2f%%", row.overheadPercent()),
              row.projected() ? "  projected, not measured" : "");
    }
  }
}
