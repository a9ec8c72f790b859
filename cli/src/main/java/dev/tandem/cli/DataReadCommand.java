package dev.tandem.cli;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.read.ReadLaunch;
import dev.tandem.data.read.ReaderReport;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ModeSettings;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads batches of a database with several processes and says where the time went. */
@Command(
    name = "read",
    description = {
      "Reads batches of a database with one or more processes, by one of LMDBIO's modes, and"
          + " reports how fast it was and where the time went. Every mode gives the same records,"
          + " which the checksum shows."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data read photos.db                              one epoch, best mode",
      "  ./tandem data read photos.db --epochs 5                   from memory after the first"
          + " epoch",
      "  ./tandem data read photos.db --mode lmdb --readers 4 --cold",
      "  ./tandem data read photos.db --mode prov --access shuffled --queue-depth 32",
      "  ./tandem data read photos.db --mode stag --readers 4 --roots 4 --stagger 2",
      "  ./tandem data read /shared/photos.db --hosts a:4,b:4   8 readers on two hosts, by ssh"
    })
final class DataReadCommand extends TandemCommand {

  private static final int SHOWN_ITERATIONS = 12;

  @Option(
      names = "--mode",
      paramLabel = "M",
      defaultValue = "AUTO",
      description =
          "lmdb, lmm, dm, dio, prov, coal, stag or auto; docs/reading.md says what they do."
              + " Default: auto")
  private ReadMode mode;

  @Option(
      names = "--cache",
      paramLabel = "auto|memory|none",
      defaultValue = "AUTO",
      description =
          "Bring the database into memory while it is first read, and read it from there: memory,"
              + " none, or auto (with mode auto, if it fits and is read more than once or"
              + " shuffled). Default: auto")
  private CachePolicy cache;

  @Option(
      names = "--locate",
      paramLabel = "auto|index|provenance",
      defaultValue = "AUTO",
      description =
          "How prov, coal and stag learn where records are: from the index, or computed from how"
              + " the database was made. Default: auto")
  private Locate locate;

  @Option(
      names = "--readers",
      paramLabel = "N",
      description = "Reading processes. Default: as many as --hosts lists, or 1")
  private Integer readers;

  @Mixin private HostOptions hosts;

  @Option(
      names = "--batch",
      paramLabel = "B",
      defaultValue = "256",
      description = "Records per iteration over all readers. Default: 256")
  private int batch;

  @Option(
      names = "--iterations",
      paramLabel = "I",
      description = "Number of batches; wraps around after the last record. Default: one epoch")
  private Long iterations;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      description = "Read all records N times, instead of --iterations.")
  private Integer epochs;

  @Option(names = "--cold", description = "Drop the database from the page cache first.")
  private boolean cold;

  @Option(
      names = "--access",
      paramLabel = "strided|shuffled",
      defaultValue = "STRIDED",
      description =
          "strided (key order) or shuffled (a permutation of all records). Default: strided")
  private BatchPlan.Access access;

  @Option(
      names = "--roots",
      paramLabel = "R",
      defaultValue = "1",
      description =
          "Readers of each host that read; the others get their records through shared memory."
              + " Default: ${DEFAULT-VALUE}")
  private int roots;

  @Option(
      names = "--block",
      paramLabel = "BYTES",
      description = "Bytes of the largest request, a power of two. Default: 524288")
  private Integer block;

  @Option(
      names = "--queue-depth",
      paramLabel = "Q",
      description = "Requests in flight per root. Default: 8; 32 with --access shuffled")
  private Integer queueDepth;

  @Option(
      names = "--route",
      paramLabel = "direct|cached|mapped",
      defaultValue = "DIRECT",
      description =
          "Past the page cache, copied from it, or (prov alone) straight from it. Default: direct")
  private Requests.Route route;

  @Option(
      names = "--budget",
      paramLabel = "BYTES",
      defaultValue = "0",
      description =
          "Memory for coalesced requests (coal, stag). Default: as much as was found to suffice,"
              + " at most 2.5 GB")
  private long budget;

  @Option(
      names = "--stagger",
      paramLabel = "K",
      defaultValue = "1",
      description = "Roots that read at the same time (stag). Default: ${DEFAULT-VALUE}")
  private int stagger;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the shuffled order. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  @Override
  protected Object run() {
    if (readers != null && readers < 1) {
      throw new UsageException("--readers must be at least 1, not " + readers);
    }
    ReadResults results = ReadResults.of(read());
    print(results);
    return results;
  }

  private List<ReaderReport> read() {
    Consumer<String> log = line -> err().println(line);
    if (!hosts.named()) {
      return ReadLaunch.run(request(database), readers == null ? 1 : readers, log);
    }
    int count = readers != null ? readers : hosts.hosts().map(List::size).orElse(1);
    // Other hosts do not have our working folder.
    ReadRequest request = request(database.toAbsolutePath().normalize());
    return ReadLaunch.run(request, hosts.placement(count, "--readers"), log);
  }

  private ReadRequest request(Path path) {
    return new ReadRequest(
        path,
        mode,
        settings(),
        batch,
        iterationsOrEpoch(),
        access,
        new Seed(seed),
        cold,
        cache,
        locate);
  }

  private ModeSettings settings() {
    Requests usual = ModeSettings.DEFAULT.requests();
    boolean shuffled = access == BatchPlan.Access.SHUFFLED;
    Requests requests =
        new Requests(
            block == null ? usual.block() : block,
            queueDepth == null
                ? (shuffled ? Requests.RANDOM_DEPTH : usual.queueDepth())
                : queueDepth,
            route);
    return new ModeSettings(roots, requests, budget, stagger);
  }

  private long iterationsOrEpoch() {
    if (epochs == null) {
      return iterations == null ? ReadRequest.EPOCH : iterations;
    }
    if (iterations != null || epochs < 1) {
      throw new UsageException("--epochs must be at least 1, and goes without --iterations");
    }
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      return Math.ceilDiv(epochs * snapshot.main().size(), (long) batch);
    }
  }

  private static String firstOf(List<Long> counts) {
    String text =
        counts.stream()
            .limit(SHOWN_ITERATIONS)
            .map(String::valueOf)
            .collect(Collectors.joining(" "));
    return counts.size() > SHOWN_ITERATIONS ? text + " ..." : text;
  }

  private void print(ReadResults r) {
    if (!r.choice().isEmpty()) {
      out().println("auto: " + r.choice());
    }
    out()
        .printf(
            Locale.ROOT,
            "%s, %d readers: %,d records, %,.1f MB in %.3f s: %,.0f records/s, %,.0f MB/s%n",
            r.mode(),
            r.readers(),
            r.records(),
            r.bytesNeeded() / 1e6,
            r.seconds(),
            r.recordsPerSecond(),
            r.megabytesPerSecond());
    out()
        .printf(
            Locale.ROOT,
            "  seconds per reader: seek %.3f, read %.3f, copy %.3f, skew %.3f, consume %.3f; asleep"
                + " %.0f%%%n",
            r.seekSeconds(),
            r.readSeconds(),
            r.copySeconds(),
            r.skewSeconds(),
            r.consumeSeconds(),
            r.sleepShare() * 100);
    out()
        .printf(
            Locale.ROOT,
            "  %,.1f MB from the storage; page faults %,d minor, %,d major; context switches %,d"
                + " voluntary, %,d involuntary%n",
            r.bytesRead() / 1e6,
            r.minorFaults(),
            r.majorFaults(),
            r.voluntarySwitches(),
            r.involuntarySwitches());
    if (r.mode().equals("dm")) {
      out()
          .printf(
              Locale.ROOT,
              "  pages touched needlessly %,d, missed %,d (%,d after the second iteration)%n",
              r.redundantPages(),
              r.missedPages(),
              r.missedAfterSecond());
      out().println("    needless by iteration: " + firstOf(r.redundantByIteration()));
      out().println("    missed by iteration: " + firstOf(r.missedByIteration()));
    }
    out()
        .printf(
            "  checksum %s%s%n", r.checksum(), r.index().isEmpty() ? "" : "; index " + r.index());
  }
}
