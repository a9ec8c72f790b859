package dev.tandem.bench.read;

import com.google.errorprone.annotations.FormatMethod;
import dev.tandem.bench.BenchFolder;
import dev.tandem.core.Progress;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** The thesis' small studies of reading, each a table with what the thesis found beside it. */
public final class ReadStudy {

  private static final String[] COLD_SEQUENTIAL = {"--rw=read", "--direct=0", "--invalidate=1"};

  private final Path folder;
  private final boolean quick;
  private final boolean keep;
  private final double latency;
  private final Predicate<String> cases;
  private final Progress progress;

  /** Which study. */
  public enum Name {
    MMAP_PREAD,
    BLOCKS,
    ORDER,
    STAGGER,
    SEEK,
    SWITCHES,
    DM,
    MODES;

    /** As on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * What came out.
   *
   * @param expectation what the thesis found
   */
  public record Table(String title, String expectation, List<String> lines) {}

  /**
   * @param folder on the storage to be measured
   * @param quick a database of 100,000 records instead of 1,000,000
   * @param keep the database stays, and is found next time
   * @param latency milliseconds of a request, in the study of modes
   * @param cases which tables of that study, by their titles
   */
  public ReadStudy(
      Path folder,
      boolean quick,
      boolean keep,
      double latency,
      Predicate<String> cases,
      Progress progress) {
    this.folder = folder;
    this.quick = quick;
    this.keep = keep;
    this.latency = latency;
    this.cases = cases;
    this.progress = progress;
  }

  /** Runs one study. */
  public Table run(Name name) {
    try (BenchFolder scratch = BenchFolder.in(folder)) {
      Path databases = keep ? folder : scratch.path();
      if (name == Name.MODES) {
        return ModesStudy.run(scratch, databases, folder, latency, cases, progress);
      }
      ReadPlan plan = quick ? ReadPlan.quick(0) : ReadPlan.full(0);
      ReadDatabase cifar = ReadDatabase.in(databases, Kind.CIFAR, plan.cifarRecords(), progress);
      Study study = new Study(cifar, scratch);
      return switch (name) {
        case MMAP_PREAD -> study.mmapAgainstPread();
        case BLOCKS -> study.blocks();
        case ORDER -> study.order();
        case STAGGER -> study.stagger();
        case SEEK -> study.seek();
        case SWITCHES -> study.switches();
        case DM -> study.speculation();
        case MODES -> throw new IllegalStateException("a study of its own");
      };
    }
  }

  /** A study of one database. */
  private record Study(ReadDatabase database, BenchFolder scratch) {

    private static final int SHOWN_ITERATIONS = 12;
    private static final Confinement FREE = Confinement.none();

    private double fio(String... options) {
      database.cool();
      return FioRun.bytesPerSecond(database.file(), FREE, options) / 1e6;
    }

    private static String[] sequential(String... more) {
      List<String> options = new ArrayList<>(List.of(COLD_SEQUENTIAL));
      options.addAll(List.of(more));
      return options.toArray(String[]::new);
    }

    Table mmapAgainstPread() {
      double mapped = fio(sequential("--ioengine=mmap", "--bs=4k"));
      double read = fio(sequential("--ioengine=psync", "--bs=4k"));
      return new Table(
          "one process reads the cold file 4 KiB at a time, buffered",
          "pread is 2.4 times as fast as mmap (5.1.1)",
          List.of(
              line("%-6s %,8.0f MB/s", "mmap", mapped),
              line("%-6s %,8.0f MB/s", "pread", read),
              line("pread to mmap: %.2fx", read / mapped)));
    }

    Table blocks() {
      List<String> lines = new ArrayList<>();
      lines.add(line("%8s %12s %12s %12s", "block", "mmap MB/s", "pread MB/s", "O_DIRECT MB/s"));
      for (String block : List.of("4k", "32k", "256k", "2m", "16m", "128m", "1g")) {
        boolean fits = !block.equals("1g") || database.fileBytes() > 1L << 30;
        if (fits) {
          lines.add(
              line(
                  "%8s %,12.0f %,12.0f %,12.0f",
                  block,
                  fio(sequential("--ioengine=mmap", "--bs=" + block)),
                  fio(sequential("--ioengine=psync", "--bs=" + block)),
                  fio("--rw=read", "--direct=1", "--ioengine=psync", "--bs=" + block)));
        }
      }
      return new Table(
          "one process reads the cold file in blocks",
          "pread gains with the block, mmap does not (figure 5.1)",
          lines);
    }

    Table order() {
      List<String> lines = new ArrayList<>();
      lines.add(
          line("%8s %10s %13s %15s %6s", "block", "requests", "ordered MB/s", "random MB/s", ""));
      for (String block : List.of("4k", "64k", "1m", "16m")) {
        for (int depth : new int[] {1, 16}) {
          double ordered = direct("read", block, depth);
          double random = direct("randread", block, depth);
          lines.add(
              line(
                  "%8s %10d %,13.0f %,15.0f %5.2fx",
                  block, depth, ordered, random, ordered / random));
        }
      }
      return new Table(
          "O_DIRECT requests in order and at random, so many in flight",
          "requests out of order are slower, the more so the larger (5.1.3)",
          lines);
    }

    private double direct(String order, String block, int depth) {
      long bytes = Math.min(database.fileBytes(), 256L << 20);
      return fio(
          "--rw=" + order,
          "--direct=1",
          "--ioengine=libaio",
          "--norandommap",
          "--bs=" + block,
          "--iodepth=" + depth,
          "--io_size=" + bytes);
    }

    private ReadOutcome tandem(String mode, int readers, String... settings) {
      int batch = ReadPlan.batch(database);
      ReadCase what =
          new ReadCase(
              database,
              ReadAccess.STRIDED,
              false,
              0,
              readers,
              batch,
              (int) (database.records() / batch));
      TandemReadContender contender = new TandemReadContender(mode, true, scratch.path(), settings);
      contender.prepare(what);
      database.cool();
      return contender.run(what, FREE);
    }

    private ReadOutcome liblmdb(ReadContender peer, int readers) {
      database.cool();
      int batch = ReadPlan.batch(database);
      int iterations = (int) (database.records() / batch);
      ReadCase what =
          new ReadCase(database, ReadAccess.STRIDED, false, 0, readers, batch, iterations);
      return peer.run(what, FREE);
    }

    Table stagger() {
      List<String> lines = new ArrayList<>();
      lines.add(line("%8s %12s %12s", "group", "MB/s", "skew s"));
      for (int group : new int[] {1, 2, 4, 8}) {
        ReadOutcome outcome =
            tandem("stag", 8, "--roots", "8", "--stagger", Integer.toString(group));
        lines.add(line("%8d %,12.0f %12.3f", group, speed(outcome), outcome.number("skewSeconds")));
      }
      ReadOutcome all = tandem("coal", 8, "--roots", "8");
      lines.add(line("%8s %,12.0f %12.3f", "coal", speed(all), all.number("skewSeconds")));
      return new Table(
          "mode stag, 8 root readers of one host, so many of them reading at a time",
          "a middle size is best: too large means out of order, too small too little parallelism"
              + " (5.2.4)",
          lines);
    }

    Table seek() {
      List<String> lines = new ArrayList<>();
      lines.add(line("%8s %14s %14s %14s", "reader", "liblmdb s", "lmdb s", "lmm s"));
      List<Map<String, String>> peer = liblmdb(new ReadPeers(scratch).liblmdb(), 8).readers();
      List<Map<String, String>> own = tandem("lmdb", 8).readers();
      List<Map<String, String>> local = tandem("lmm", 8, "--roots", "8").readers();
      for (int reader = 0; reader < peer.size(); reader++) {
        lines.add(
            line(
                "%8d %14s %14s %14s",
                reader,
                peer.get(reader).get("seek"),
                own.get(reader).get("seekSeconds"),
                local.get(reader).get("seekSeconds")));
      }
      return new Table(
          "seconds of seeking by reader, 8 strided readers, cold",
          "grows with the rank, because low ranks wait and prefetch meanwhile (figure 3.7)",
          lines);
    }

    Table switches() {
      List<String> lines = new ArrayList<>();
      lines.add(line("%10s %12s %12s %12s %12s", "processes", "liblmdb", "lmdb", "lmm", "prov"));
      ReadContender peer = new ReadPeers(scratch).liblmdb();
      for (int readers : new int[] {1, 2, 4, 8}) {
        lines.add(
            line(
                "%10d %,12.0f %,12.0f %,12.0f %,12.0f",
                readers,
                liblmdb(peer, readers).number("contextSwitches"),
                tandem("lmdb", readers).number("contextSwitches"),
                tandem("lmm", readers).number("contextSwitches"),
                tandem("prov", readers).number("contextSwitches")));
      }
      return new Table(
          "context switches of all processes, strided, cold",
          "lmdb 48 times as many with 2 processes as with 1; lmm up to 83 times fewer (3.1.3, 3.4.1)",
          lines);
    }

    Table speculation() {
      List<String> lines = new ArrayList<>();
      lines.add(
          line(
              "%10s %10s %12s %26s",
              "processes", "missed", "redundant", "missed after the second"));
      for (int readers : new int[] {2, 4, 8}) {
        ReadOutcome outcome = tandem("dm", readers, "--roots", Integer.toString(readers));
        lines.add(
            line(
                "%10d %,10.0f %,12.0f %,26.0f",
                readers,
                outcome.number("missedPages"),
                outcome.number("redundantPages"),
                outcome.number("missedAfterSecond")));
        lines.add("           missed by iteration: " + firstOf(outcome, "missedByIteration"));
        lines.add("        redundant by iteration: " + firstOf(outcome, "redundantByIteration"));
      }
      return new Table(
          "pages that mode dm had not touched in advance, and those it touched in vain",
          "no page is missed after the second iteration (4.3.3)",
          lines);
    }

    private static String firstOf(ReadOutcome outcome, String list) {
      List<String> counts = List.of(outcome.fields().getOrDefault(list, "").split(" "));
      String text = String.join(" ", counts.subList(0, Math.min(counts.size(), SHOWN_ITERATIONS)));
      return counts.size() > SHOWN_ITERATIONS ? text + " ..." : text;
    }

    private double speed(ReadOutcome outcome) {
      return outcome.records() * database.bytesPerRecord() / 1e6 / outcome.seconds();
    }

    @FormatMethod
    private static String line(String format, Object... values) {
      return String.format(Locale.ROOT, format, values);
    }
  }
}
