package dev.tandem.cli;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.stage.DatabaseStage;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies to storage near a rank exactly what the rank will read. */
@Command(
    name = "stage",
    description = {
      "Copies to node-local storage exactly the parts of a database that one rank will read: a"
          + " sparse copy with the index, for the same batch, ranks and order. Readers refuse"
          + " records that were not copied."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data stage /shared/photos.db --to /local/photos.db --rank 3 --ranks 8 --batch"
          + " 256",
      "  ./tandem data stage photos.db --to /local/p --rank 0 --ranks 2 --batch 64 --steps 0..99"
    })
final class DataStageCommand extends TandemCommand {

  private static final Pattern STEPS = Pattern.compile("(\\d+)\\.\\.(\\d+)");

  @Option(names = "--to", paramLabel = "DIR", required = true, description = "Folder of the copy.")
  private Path target;

  @Option(
      names = "--rank",
      paramLabel = "R",
      required = true,
      description = "The rank that will read it, from 0.")
  private int rank;

  @Option(names = "--ranks", paramLabel = "N", required = true, description = "Number of ranks.")
  private int ranks;

  @Option(
      names = "--batch",
      paramLabel = "B",
      required = true,
      description = "Records per step over all ranks.")
  private int batch;

  @Option(
      names = "--steps",
      paramLabel = "A..B",
      description = "The first and the last step, from 0. Default: one epoch")
  private String steps;

  @Option(
      names = "--access",
      paramLabel = "strided|shuffled",
      defaultValue = "STRIDED",
      description = "As for data read. Default: strided")
  private BatchPlan.Access access;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "As for data read. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  /** What {@code --json} gets. */
  record Results(
      String copy,
      int rank,
      int ranks,
      long firstStep,
      long lastStep,
      long records,
      long bytesCopied,
      long bytesOfOriginal,
      double seconds) {}

  @Override
  protected Object run() {
    long began = System.nanoTime();
    if (rank < 0 || rank >= ranks || batch < 1) {
      throw new UsageException(
          "rank %d of %d, batch %d: expected a rank from 0 to ranks - 1 and a batch of 1 or more"
              .formatted(rank, ranks, batch));
    }
    BatchPlan plan = DatabaseStage.plan(database, batch, ranks, access, new Seed(seed));
    long first = 0;
    long last = plan.iterations() - 1;
    if (steps != null) {
      Matcher range = STEPS.matcher(steps);
      if (!range.matches()) {
        throw new UsageException("--steps " + steps + ": expected FIRST..LAST, such as 0..99");
      }
      first = Long.parseLong(range.group(1));
      last = Long.parseLong(range.group(2));
    }
    DatabaseStage.Result result =
        new DatabaseStage(database, target, ConsoleProgress.system())
            .stage(plan, rank, first, last + 1);
    double seconds = (System.nanoTime() - began) / 1e9;
    out()
        .printf(
            Locale.ROOT,
            "%s: %,d records of rank %d of %d, %,.1f MB of %,.1f MB copied in %.2f s%n",
            target,
            result.records(),
            rank,
            ranks,
            result.bytes() / 1e6,
            result.fileBytes() / 1e6,
            seconds);
    return new Results(
        target.toString(),
        rank,
        ranks,
        first,
        last,
        result.records(),
        result.bytes(),
        result.fileBytes(),
        seconds);
  }
}
