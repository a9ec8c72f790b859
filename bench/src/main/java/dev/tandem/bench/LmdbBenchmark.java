package dev.tandem.bench;

import dev.tandem.core.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Tandem's LMDB writer and record index against liblmdb and the storage. Leaves nothing in its
 * folder.
 */
public final class LmdbBenchmark {

  private final Path folder;
  private final long records;
  private final int keyDigits;
  private final int rounds;
  private final Progress progress;

  /**
   * @param folder where databases are made; an existing folder on the storage to be measured
   * @param records CIFAR-like ones, about 4.2 KB of disk each, for each of two databases
   * @param keyDigits of the keys; fewer than the records need scatter the database
   * @param rounds of every contender, in turn
   */
  public LmdbBenchmark(Path folder, long records, int keyDigits, int rounds, Progress progress) {
    this.folder = folder;
    this.records = records;
    this.keyDigits = keyDigits;
    this.rounds = rounds;
    this.progress = progress;
  }

  /** Runs everything; fails with the package to install if a peer is missing. */
  public List<BenchRow> run() {
    Children.require("gcc", "gcc");
    Children.require("fio", "fio");
    String machine = Machine.describe(folder);
    List<BenchRow> rows = new ArrayList<>();
    try (BenchFolder scratch = BenchFolder.in(folder)) {
      LmdbWriteBenchmark write =
          new LmdbWriteBenchmark(scratch, records, keyDigits, rounds, machine, progress);
      rows.addAll(write.run());
      rows.addAll(
          new LmdbIndexBenchmark(scratch.path().resolve("tandem"), rounds, machine, progress)
              .run());
    }
    return rows;
  }
}
