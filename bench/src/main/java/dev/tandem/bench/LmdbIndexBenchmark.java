package dev.tandem.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.DatabaseStatistics;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Building the record index of a cold database, in a fresh JVM with the flags of {@code tandem data
 * index}, against fio reading as many pages at random places of the same file (4 KiB, 32 in flight,
 * O_DIRECT), in turn. The JVM's own files are warm: it is the database that is cold.
 */
final class LmdbIndexBenchmark {

  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  private final Path database;
  private final int rounds;
  private final String machine;
  private final Progress progress;
  private final Path data;
  private final Path index;

  LmdbIndexBenchmark(Path database, int rounds, String machine, Progress progress) {
    this.database = database;
    this.rounds = rounds;
    this.machine = machine;
    this.progress = progress;
    this.data = Environment.dataFile(database);
    this.index = RecordIndex.fileOf(database, Optional.empty());
  }

  List<BenchRow> run() {
    DatabaseStatistics statistics;
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      statistics = snapshot.main().statistics();
    }
    long pages = statistics.branchPages() + statistics.leafPages();
    List<Double> storage = new ArrayList<>();
    List<Double> build = new ArrayList<>();
    List<Double> process = new ArrayList<>();
    List<Double> load = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    try (Progress.Task task = progress.start("index", rounds, "rounds")) {
      for (int round = 0; round < rounds; round++) {
        if (round % 2 == 0) {
          storage.add(fio(pages, round));
        }
        Children.Run built = cold();
        build.add(built.number());
        process.add(built.seconds());
        load.add(Children.shortJava(LmdbIndexMain.class, database).number());
        if (round % 2 == 1) {
          storage.add(fio(pages, round));
        }
        ratios.add(storage.getLast() / build.getLast());
        task.advanceTo(round + 1L);
      }
    }
    Spread ratio = Spread.of(ratios);
    return List.of(
        row("fio", "4 KiB random, 32 in flight", statistics, pages, storage, Spread.NONE),
        row("tandem", "cold build, open to built", statistics, pages, build, ratio),
        row("tandem", "build and save, whole process", statistics, pages, process, Spread.NONE),
        row("tandem", "load, open to loaded", statistics, pages, load, Spread.NONE));
  }

  private BenchRow row(
      String contender,
      String measure,
      DatabaseStatistics statistics,
      long pages,
      List<Double> seconds,
      Spread ratio) {
    Spread spread = Spread.of(seconds);
    return new BenchRow(
        "index",
        contender,
        measure,
        rounds,
        statistics.entries(),
        spread.median(),
        spread.least(),
        spread.most(),
        pages / spread.median(),
        ratio.median(),
        ratio.least(),
        ratio.most(),
        contender.equals("tandem") ? size(index) : 0,
        machine);
  }

  private Children.Run cold() {
    remove(index);
    dropCaches();
    // Brings the JVM and its classes back, with a database that is not there.
    try {
      Children.shortJava(LmdbIndexMain.class, database.resolveSibling("none"));
    } catch (WorkFailedException e) {
      // As expected.
    }
    return Children.shortJava(LmdbIndexMain.class, database);
  }

  /** As root the whole cache; others can have one file forgotten, by way of dd. */
  private void dropCaches() {
    Children.run(List.of("sync"));
    if (Files.isWritable(DROP_CACHES)) {
      try {
        Files.writeString(DROP_CACHES, "3");
        return;
      } catch (IOException e) {
        // A container's root may not.
      }
    }
    Children.run(List.of("dd", "if=" + data, "iflag=nocache", "count=0", "status=none"));
  }

  private double fio(long pages, int round) {
    String output =
        Children.run(
                List.of(
                    "fio",
                    "--name=pages",
                    "--filename=" + data,
                    "--readonly",
                    "--rw=randread",
                    "--bs=4k",
                    "--direct=1",
                    "--ioengine=libaio",
                    "--iodepth=32",
                    "--randseed=" + (round + 1),
                    "--io_size=" + pages * 4096,
                    "--output-format=json"))
            .output();
    try {
      JsonNode read = new ObjectMapper().readTree(output).at("/jobs/0/read");
      if (read.get("total_ios").asLong() != pages) {
        throw new WorkFailedException(
            "fio read " + read.get("total_ios") + " pages instead of " + pages);
      }
      // Whole milliseconds are too coarse for a small database; reads a second are not.
      return pages / read.get("iops").asDouble();
    } catch (JsonProcessingException e) {
      throw new WorkFailedException("fio printed no JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw FileErrors.failure("delete", file, e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", file, e);
    }
  }
}
