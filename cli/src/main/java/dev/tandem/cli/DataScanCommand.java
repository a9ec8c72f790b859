package dev.tandem.cli;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.load.BadRecord;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.reuse.ReuseFeed;
import dev.tandem.data.reuse.ReuseMeter;
import dev.tandem.data.reuse.ReuseOrder;
import dev.tandem.data.reuse.ReuseReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the loader over a data set. */
@Command(
    name = "scan",
    description = {
      "Loads a data set as training would, without training: reads, decodes, augments and batches"
          + " it, and prints samples per second and the bottleneck. The data"
          + " set is an LMDB database of Caffe Datum records, a folder of images, IDX, CIFAR-10 or"
          + " tar shards."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data scan --threads 4 photos.db",
      "  ./tandem data scan --epochs 3 --read prov --cache none photos.db",
      "  ./tandem data scan --augment shorter=256,random-crop=224x224,flip --skip-bad photos",
      "  ./tandem data scan --normalise compute --shuffle window:8192:256 cifar.db"
    })
final class DataScanCommand extends TandemCommand {

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "256",
      description = "Samples per step over all ranks. Default: ${DEFAULT-VALUE}")
  private int batch;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of epochs. Default: ${DEFAULT-VALUE}")
  private int epochs;

  @Option(names = "--steps", paramLabel = "N", description = "Stop after N steps.")
  private Long steps;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads that decode and augment. Default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--fetch-threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that read. Default: ${DEFAULT-VALUE}")
  private int fetchThreads;

  @Option(
      names = "--prefetch",
      paramLabel = "MB",
      defaultValue = "256",
      description = "Memory for prefetched samples. Default: ${DEFAULT-VALUE}")
  private long prefetch;

  @Option(
      names = "--shuffle",
      paramLabel = "HOW",
      defaultValue = "index",
      description =
          "none, index (any order) or window:SAMPLES:BLOCK (blocks in any order, samples within"
              + " windows). Default: ${DEFAULT-VALUE}")
  private String shuffle;

  @Option(
      names = "--circular",
      description = "Fill the last batch of an epoch from the next, as Caffe does.")
  private boolean circular;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of order and augmentation. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--share",
      paramLabel = "R/N",
      description =
          "Load the share of rank R of N. Default: this rank's share in a job of tandem run, else"
              + " all")
  private String share;

  @Option(
      names = "--read",
      paramLabel = "MODE",
      defaultValue = "AUTO",
      description =
          "How records of an LMDB database are read: lmdb, lmm, dm, dio, prov, coal, stag or auto;"
              + " dm and dio need --shuffle none. Default: auto")
  private ReadMode read;

  @Option(
      names = "--cache",
      paramLabel = "auto|memory|none",
      defaultValue = "AUTO",
      description =
          "Bring the database into memory during the first epoch and read it from there: memory,"
              + " none, or auto (if it fits and is read more than once or shuffled). Default: auto")
  private CachePolicy cache;

  @Option(
      names = "--locate",
      paramLabel = "auto|index|provenance",
      defaultValue = "AUTO",
      description =
          "How prov, coal and stag learn where records are: from the index, or computed from how"
              + " the database was made. Default: auto")
  private Locate locate;

  @Option(names = "--skip-bad", description = "Skip bad records instead of failing.")
  private boolean skipBad;

  @Option(
      names = "--checksum",
      description =
          "Print a checksum of all pixels and labels, which does not depend on the threads.")
  private boolean checksum;

  @CommandLine.Mixin private SampleOptions sampleOptions;

  @CommandLine.Mixin private ReuseOptions reuseOptions;

  @Parameters(paramLabel = "DATA", description = "Database, folder or file.")
  private Path data;

  private String decision = "";

  /** What {@code --json} gets. */
  record Results(
      String data,
      String reading,
      int epochs,
      long samples,
      long steps,
      double seconds,
      double samplesPerSecond,
      double megabytesPerSecond,
      List<Integer> shape,
      Normalisation normalisation,
      StallReport.Stage bottleneck,
      StallReport stalls,
      long skipped,
      List<BadRecord> badRecords,
      String checksum,
      ReuseReport reuse) {}

  @Override
  protected Object run() {
    Shuffle order = Shuffle.parse(shuffle);
    LoadRequest request = new LoadRequest(read, cache, locate, order, positive("--epochs", epochs));
    try (Communicator communicator = Communicator.join();
        RecordSource source = sampleOptions.open(data, request, communicator, this::decided)) {
      Steps cut =
          new Steps(
              new SampleOrder(new Seed(seed), source.size(), order),
              positive("--batch", batch),
              circular ? EpochEnd.CIRCULAR : EpochEnd.EXACT);
      Preparation preparation = sampleOptions.preparation(source, new Seed(seed));
      Optional<ReuseOrder> reuse = reuseOptions.order(cut, communicator);
      if (reuse.isEmpty()) {
        Plan plan = plan(communicator, cut.stepsFor(epochs));
        try (Loader loader = new Loader(source, cut, preparation, plan, options())) {
          return scan(loader, plan, preparation, null);
        }
      }
      if (share != null) {
        throw new UsageException("--reuse and --share exclude each other");
      }
      ReuseOrder reused = reuse.get();
      Plan plan = plan(communicator, reused.stepsFor(epochs));
      ReuseMeter meter = new ReuseMeter(reused.places());
      try (Loader loader =
          new Loader(
              own -> new ReuseFeed(source, reused, own, communicator, meter),
              preparation,
              plan,
              options())) {
        return scan(loader, plan, preparation, () -> meter.report(source.size()));
      }
    }
  }

  private void decided(String line) {
    decision = line;
    out().println(line);
  }

  private LoaderOptions options() {
    return new LoaderOptions(
        threads,
        fetchThreads,
        positive("--prefetch", prefetch) << 20,
        skipBad ? BadRecords.SKIP : BadRecords.FATAL);
  }

  private Plan plan(Communicator communicator, long stepsOfEpochs) {
    long count = steps == null ? stepsOfEpochs : positive("--steps", steps);
    if (share == null) {
      return new Plan(communicator.rank(), communicator.size(), Position.START, count);
    }
    String[] parts = share.split("/", -1);
    try {
      return new Plan(
          Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Position.START, count);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException("--share " + share + ": expected R/N, as in 0/4");
    }
  }

  private Results scan(
      Loader loader, Plan plan, Preparation preparation, Supplier<ReuseReport> reuse) {
    long samples = 0;
    CRC32C sum = new CRC32C();
    try (Progress.Task task = ConsoleProgress.system().start("Loading", plan.steps(), "steps")) {
      for (long step = 0; loader.hasNext(); step++) {
        Batch next = loader.next();
        samples += next.count();
        if (checksum) {
          sum.update(next.images().asByteBuffer());
          sum.update(next.labels().asByteBuffer());
        }
        task.advanceTo(step + 1);
      }
    }
    StallReport stalls = loader.stalls();
    ReuseReport reused = reuse == null ? null : reuse.get();
    // What is served again is not read again.
    long bytes = reused == null ? stalls.bytesRead() : reused.bytesRead();
    ImageFormat format = preparation.format();
    Results results =
        new Results(
            data.toString(),
            decision,
            epochs,
            samples,
            plan.steps(),
            stalls.seconds(),
            samples / stalls.seconds(),
            bytes / 1e6 / stalls.seconds(),
            List.of(format.channels(), format.height(), format.width()),
            preparation.normalisation(),
            stalls.bottleneck(),
            stalls,
            loader.skipped(),
            List.copyOf(loader.badRecords()),
            checksum ? "%08x".formatted(sum.getValue()) : null,
            reused);
    print(results);
    return results;
  }

  private void print(Results results) {
    for (BadRecord record : results.badRecords) {
      out().println("left out: " + record);
    }
    out()
        .printf(
            Locale.ROOT,
            "%,d samples of %dx%dx%d in %.2f s: %,.0f samples/s, %,.1f MB/s of records%s%n",
            results.samples,
            results.shape.get(0),
            results.shape.get(1),
            results.shape.get(2),
            results.seconds,
            results.samplesPerSecond,
            results.megabytesPerSecond,
            results.skipped == 0 ? "" : ", %,d skipped".formatted(results.skipped));
    if (sampleOptions.computesNormalisation()) {
      out().println("means " + results.normalisation.means());
      out().println("deviations " + results.normalisation.deviations());
    }
    if (checksum) {
      out().println("checksum " + results.checksum);
    }
    if (results.reuse != null) {
      out().println(results.reuse.sentence());
    }
    out().println(results.stalls.sentence());
  }

  private static long positive(String option, long value) {
    if (value < 1) {
      throw new UsageException(option + " " + value + ": at least 1");
    }
    return value;
  }

  private static int positive(String option, int value) {
    return (int) positive(option, (long) value);
  }
}
