package dev.tandem.bench;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The same records, commits and syncs by liblmdb in C and by Tandem in a fresh JVM, in turn. Times
 * are from opening the environment to having closed it, within the process.
 */
final class LmdbWriteBenchmark {

  private static final int COMMIT_EVERY = 1000;
  private static final String SOURCE = "lmdb_write.c";

  private final BenchFolder scratch;
  private final long records;
  private final int keyDigits;
  private final int rounds;
  private final String machine;
  private final Progress progress;

  LmdbWriteBenchmark(
      BenchFolder scratch,
      long records,
      int keyDigits,
      int rounds,
      String machine,
      Progress progress) {
    this.scratch = scratch;
    this.records = records;
    this.keyDigits = keyDigits;
    this.rounds = rounds;
    this.machine = machine;
    this.progress = progress;
  }

  /** Leaves Tandem's last database in the folder "tandem". */
  List<BenchRow> run() {
    Path peer = compile();
    List<Double> theirs = new ArrayList<>();
    List<Double> ours = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    try (Progress.Task task = progress.start("write", 2L * rounds, "runs")) {
      for (int round = 0; round < rounds; round++) {
        // Who begins changes from round to round: the second finds a busier disk.
        if (round % 2 == 0) {
          theirs.add(liblmdb(peer));
          task.advanceTo(2L * round + 1);
          ours.add(tandem());
        } else {
          ours.add(tandem());
          task.advanceTo(2L * round + 1);
          theirs.add(liblmdb(peer));
        }
        ratios.add(theirs.getLast() / ours.getLast());
        task.advanceTo(2L * round + 2);
        if (round == 0) {
          compare();
        }
      }
    }
    scratch.remove("liblmdb");
    return List.of(row("liblmdb", theirs, Spread.NONE), row("tandem", ours, Spread.of(ratios)));
  }

  private BenchRow row(String contender, List<Double> seconds, Spread ratio) {
    Spread spread = Spread.of(seconds);
    return new BenchRow(
        "write",
        contender,
        "open to closed",
        rounds,
        records,
        spread.median(),
        spread.least(),
        spread.most(),
        records / spread.median(),
        ratio.median(),
        ratio.least(),
        ratio.most(),
        0,
        machine);
  }

  private Path compile() {
    Path source = scratch.extract(SOURCE);
    Path program = scratch.path().resolve("lmdb_write");
    try {
      Children.run(List.of("gcc", "-O2", "-o", program.toString(), source.toString(), "-llmdb"));
    } catch (WorkFailedException e) {
      throw new WorkFailedException(
          "the benchmark's peer does not compile: install liblmdb (Debian: apt-get install"
              + " liblmdb-dev); "
              + e.getMessage(),
          e);
    }
    return program;
  }

  private double liblmdb(Path program) {
    Path folder = fresh("liblmdb");
    return Children.run(
            List.of(
                program.toString(),
                folder.toString(),
                Long.toString(records),
                Integer.toString(COMMIT_EVERY),
                Integer.toString(keyDigits)))
        .number();
  }

  private double tandem() {
    Path folder = fresh("tandem");
    return Children.java(LmdbWriteMain.class, folder, records, COMMIT_EVERY, keyDigits).number();
  }

  /** A place without a database, and storage that has nothing left to write from before. */
  private Path fresh(String name) {
    scratch.remove(name);
    Children.run(List.of("sync"));
    return scratch.path().resolve(name);
  }

  /** Both must have done the same work. */
  private void compare() {
    try (Environment theirs = Environment.open(scratch.path().resolve("liblmdb"));
        Environment ours = Environment.open(scratch.path().resolve("tandem"));
        Snapshot theirSnapshot = theirs.snapshot();
        Snapshot ourSnapshot = ours.snapshot()) {
      Cursor expected = theirSnapshot.main().cursor();
      Cursor actual = ourSnapshot.main().cursor();
      long count = 0;
      while (expected.next()) {
        if (!actual.next()
            || actual.key().mismatch(expected.key()) >= 0
            || actual.value().mismatch(expected.value()) >= 0) {
          throw new WorkFailedException("the contenders wrote different records, at " + count);
        }
        count++;
      }
      if (actual.next() || count != records) {
        throw new WorkFailedException("the contenders wrote different numbers of records");
      }
    }
  }
}
