package dev.tandem.bench.cli;

import dev.tandem.bench.BenchRow;
import dev.tandem.bench.LmdbBenchmark;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the LMDB writer and the record index. */
@Command(
    name = "lmdb",
    description = {
      "Writes CIFAR-like records by Tandem and by liblmdb in C (same records, commits and syncs),"
          + " then builds the record index of the cold database and reads as many pages with fio."
          + " Contenders take turns; medians, and ratios of the same round. Needs gcc, liblmdb-dev"
          + " and fio, and 9 GB of disk for a million records."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench lmdb --quick                  50,000 records, a minute",
      "  ./tandem bench lmdb --dir /data --json b.json"
    })
final class BenchLmdbCommand extends TandemCommand {

  private static final long RECORDS = 1_000_000;
  private static final long QUICK_RECORDS = 50_000;

  @Option(
      names = "--quick",
      description = "Smoke test with fewer records; figures are not representative.")
  private boolean quick;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records of a database. Default: 1000000, with --quick 50000.")
  private Long records;

  @Option(
      names = "--key-digits",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "Digits of the keys. With 5, as Caffe's CIFAR tool has them, a database of more than"
              + " 100,000 records is scattered. Default: ${DEFAULT-VALUE}")
  private int keyDigits;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Runs of every contender. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder on the storage to measure. Default: the current one.")
  private Path folder = Path.of(".");

  @Override
  protected Object run() {
    long count = records != null ? records : quick ? QUICK_RECORDS : RECORDS;
    if (count < 1 || rounds < 1 || keyDigits < 1 || keyDigits > 18) {
      throw new UsageException("--records, --rounds and --key-digits (to 18) must be at least 1");
    }
    if (!Files.isDirectory(folder)) {
      throw new UsageException("--dir " + folder + ": there is no such folder");
    }
    List<BenchRow> rows =
        new LmdbBenchmark(
                folder.toAbsolutePath(), count, keyDigits, rounds, ConsoleProgress.system())
            .run();
    print(rows);
    return rows;
  }

  private void print(List<BenchRow> rows) {
    out().println(rows.getFirst().machine());
    out()
        .printf(
            "%,d CIFAR-like records, a synced commit every 1,000; medians of %d rounds%n%n",
            rows.getFirst().records(), rows.getFirst().rounds());
    out()
        .printf(
            "%-6s %-8s %-27s %10s %21s %12s  %s%n",
            "case", "by", "what", "seconds", "least..most", "per second", "ratio");
    for (BenchRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-6s %-8s %-27s %10.3f %21s %,12.0f  %s%n",
              row.benchmark(),
              row.contender(),
              row.measure(),
              row.seconds(),
              String.format(Locale.ROOT, "%.3f..%.3f", row.leastSeconds(), row.mostSeconds()),
              row.perSecond(),
              row.ratio() == 0
                  ? ""
                  : String.format(
                      Locale.ROOT,
                      "%.2f (%.2f..%.2f)",
                      row.ratio(),
                      row.leastRatio(),
                      row.mostRatio()));
    }
    out()
        .printf(
            "%nper second: records (write), pages (index); ratio: to the peer, above 1 is faster."
                + " The index takes %,d bytes.%n",
            rows.getLast().bytes());
  }
}
