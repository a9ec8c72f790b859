package dev.tandem.bench.cli;

import dev.tandem.bench.read.ReadBenchmark;
import dev.tandem.bench.read.ReadRow;
import dev.tandem.bench.read.TrainReadBenchmark;
import dev.tandem.bench.read.TrainReadRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.Patterns;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.ExitCode;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures reading. */
@Command(
    name = "read",
    description = {
      "Reads a CIFAR-like and an ImageNet-like database by Tandem's read modes, liblmdb in C,"
          + " py-lmdb and lmdbjava: cold and warm, in key order and shuffled, with little memory,"
          + " from storage that allows 1,000 requests per second, from storage on which every"
          + " request takes 10 ms, and as a training does: five epochs in the order of keys, a"
          + " small database 100 times, three shuffled epochs through the loader (also compared"
          + " with py-lmdb under a PyTorch DataLoader). Readers compute the same checksum; loaders"
          + " do not. The ceiling is fio with O_DIRECT. Needs gcc, liblmdb-dev, python3-lmdb,"
          + " python3-torch and fio, root for read-ahead and limits, libfuse3 for the latency, and"
          + " 9 GB of disk (with --quick 1 GB)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench read --quick                     less data, a minute",
      "  ./tandem bench read --dir /data --keep --json r.json",
      "  ./tandem bench read --train                     end to end, by each mode",
      "  ./tandem bench read --case 'repeated|loader'    several epochs, cold at the beginning",
      "  ./tandem bench read --case 'cifar strided cold' --contender 'liblmdb|ceiling|auto'"
    })
final class BenchReadCommand extends TandemCommand {

  private static final Duration TIME = Duration.ofMinutes(29);
  private static final int IMAGES = 12_000;
  private static final int QUICK_IMAGES = 4_000;
  private static final Duration QUICK_TIME = Duration.ofSeconds(70);

  @Option(
      names = "--quick",
      description = "Smoke test with less data; figures are not representative.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Rounds of every comparison. From the second on only contenders that something is asked"
              + " of, and as many rounds as there is time for. Default: 5, with --quick 1.")
  private Integer rounds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder on the storage to measure. Default: the current one.")
  private Path folder = Path.of(".");

  @Option(
      names = "--keep",
      description = "Leave the databases in DIR, and take those that are there.")
  private boolean keep;

  @Option(
      names = "--case",
      paramLabel = "PATTERN",
      description = "Only comparisons whose description has this regular expression.")
  private String cases = "";

  @Option(
      names = "--contender",
      paramLabel = "PATTERN",
      description = "Only contenders whose whole name is this regular expression.")
  private String contenders = ".*";

  @Option(
      names = "--latency",
      paramLabel = "MS",
      defaultValue = "10",
      description =
          "Milliseconds that every request takes on the storage of access latency. Default:"
              + " ${DEFAULT-VALUE}")
  private double latency;

  @Option(
      names = "--train",
      description =
          "Instead, train the demo's network in two processes by each read mode, from the disk"
              + " and from storage on which every request takes as long as --latency says.")
  private boolean train;

  private boolean failed;

  @Override
  protected Object run() {
    int count = rounds != null ? rounds : quick ? 1 : 5;
    if (count < 1) {
      throw new UsageException("--rounds must be at least 1");
    }
    if (!Files.isDirectory(folder)) {
      throw new UsageException("--dir " + folder + ": there is no such folder");
    }
    if (train) {
      return train();
    }
    ReadBenchmark.Options options =
        new ReadBenchmark.Options(
            folder.toAbsolutePath(),
            quick,
            count,
            keep,
            Patterns.of("--case", cases).asPredicate(),
            Patterns.of("--contender", contenders).asMatchPredicate(),
            latency,
            quick ? QUICK_TIME : TIME,
            this::save);
    ReadBenchmark.Results results = new ReadBenchmark(options, ConsoleProgress.system()).run();
    print(results);
    failed = !results.failures().isEmpty();
    return results.rows();
  }

  @Override
  protected ExitCode exitCode(Object results) {
    return failed ? ExitCode.FAILED : ExitCode.DONE;
  }

  private Object train() {
    int images = quick ? QUICK_IMAGES : IMAGES;
    TrainReadBenchmark.Results results =
        new TrainReadBenchmark(folder.toAbsolutePath(), images, latency, ConsoleProgress.system())
            .run();
    out().println(results.machine());
    out()
        .printf(
            "%,d images of the demo, 2 ranks, read-ahead 128 KB; milliseconds per iteration%n",
            images);
    String storage = "";
    for (TrainReadRow row : results.rows()) {
      if (!row.storage().equals(storage)) {
        storage = row.storage();
        out()
            .printf(
                "%n%-10s %9s %8s %8s %8s %8s %8s %8s %8s%n",
                storage,
                "images/s",
                "first s",
                "read",
                "skew",
                "forward",
                "backward",
                "sync",
                "update");
      }
      String became = row.read().equals(row.mode()) ? "" : " (" + row.read() + ")";
      out()
          .printf(
              Locale.ROOT,
              "%-10s %,9.0f %8.3f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f%n",
              row.mode() + became,
              row.imagesPerSecond(),
              row.firstSeconds(),
              row.readMilliseconds(),
              row.skewMilliseconds(),
              row.forwardMilliseconds(),
              row.backwardMilliseconds(),
              row.syncMilliseconds(),
              row.updateMilliseconds());
    }
    out().printf("%nall ended with the same parameters, %s%n", results.rows().getFirst().digest());
    results.remarks().forEach(remark -> out().println("skipped: " + remark));
    return results.rows();
  }

  private void print(ReadBenchmark.Results results) {
    out().println(results.machine());
    out()
        .printf(
            Locale.ROOT,
            "medians of rounds, MB of the database file per second; %.0f s in all%n",
            results.seconds());
    String section = "";
    for (ReadRow row : results.rows()) {
      String title =
          "%s %s %s, read-ahead %d KB, %d processes"
              .formatted(
                  row.database(), row.access(), row.cache(), row.readAhead(), row.processes());
      if (!title.equals(section)) {
        out()
            .printf(
                "%n%s%n%-18s %10s %11s %11s %7s%n",
                title, "contender", "MB/s", "to liblmdb", "to fio", "rounds");
        section = title;
      }
      out()
          .printf(
              Locale.ROOT,
              "%-18s %,10.0f %11s %11s %7d%s%n",
              row.contender(),
              row.megabytesPerSecond(),
              factor(row.ratioToLiblmdb()),
              factor(row.ratioToCeiling()),
              row.rounds(),
              row.chosen() == null ? "" : "  " + row.chosen());
    }
    out().println();
    results.remarks().forEach(remark -> out().println("skipped: " + remark));
    results.failures().forEach(failure -> err().println("failed: " + failure));
  }

  private static String factor(Double ratio) {
    return ratio == null ? "" : String.format(Locale.ROOT, "%.2fx", ratio);
  }
}
