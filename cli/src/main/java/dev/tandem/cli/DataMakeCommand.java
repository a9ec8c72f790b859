package dev.tandem.cli;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.glyphs.ColourDigits;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.SyntheticRecords;
import dev.tandem.data.importing.SyntheticVolumes;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a database of random images. */
@Command(
    name = "make",
    description = {
      "Makes a database of random images in the shape of a known data set, for measuring: cifar is"
          + " 3x32x32 (3 KB per record), imagenet 3x256x256 (192 KB per record); keys and records"
          + " as Caffe's tools write them. Their labels cannot be learned; those of digits can,"
          + " which are 3x32x32 as well: coloured digits on coloured grounds. Those of volumes,"
          + " cubes, are values: the number of clouds in a cube and their size; with several"
          + " channels, which show the clouds at several times, also their brightness and by how"
          + " much they grow from each channel to the next."
    },
    footerHeading = "%nExample:%n",
    footer = {
      "  ./tandem data make --kind cifar --records 100000 cifar.db",
      "  ./tandem data make --kind volumes --extent 64 --channels 4 --records 200 cosmoflow.db"
    })
final class DataMakeCommand extends TandemCommand {

  /** What can be made. */
  enum Kind {
    CIFAR,
    IMAGENET,
    DIGITS,
    VOLUMES
  }

  @Option(
      names = "--kind",
      required = true,
      description = "Shape of the images: ${COMPLETION-CANDIDATES}")
  private Kind kind;

  @Option(names = "--records", paramLabel = "N", required = true, description = "How many.")
  private long records;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of pixels and labels. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--key-digits",
      paramLabel = "N",
      description =
          "Digits of cifar keys. Default: 5 as Caffe's tool for CIFAR has them, and 8 for more than"
              + " 100,000 records, because longer keys would sort between the others and scatter"
              + " the file.")
  private Integer keyDigits;

  @Option(
      names = "--extent",
      paramLabel = "N",
      description = "Extent of volumes in each direction. Default: " + SyntheticVolumes.EXTENT)
  private Integer extent;

  @Option(names = "--channels", paramLabel = "N", description = "Channels of volumes. Default: 1")
  private Integer channels;

  @CommandLine.Mixin private TargetOptions target;

  @Parameters(paramLabel = "DB", description = "Folder of the new database.")
  private Path database;

  @Override
  protected Object run() {
    if (records < 0) {
      throw new UsageException("--records must not be negative: " + records);
    }
    int digits = keyDigits == null ? SyntheticRecords.usualDigits(records) : keyDigits;
    if (digits < 1 || digits > 18) {
      throw new UsageException("--key-digits " + digits + ": expected 1 to 18");
    }
    if (kind != Kind.VOLUMES && (extent != null || channels != null)) {
      throw new UsageException("--extent and --channels are for --kind volumes");
    }
    return BuildResults.of(
            database,
            target.builder(database, ConsoleProgress.system()).build(importer(digits)),
            List.of())
        .print(out());
  }

  private Importer importer(int digits) {
    return switch (kind) {
      case CIFAR -> random(SyntheticRecords.Kind.CIFAR, digits);
      case IMAGENET -> random(SyntheticRecords.Kind.IMAGENET, digits);
      case DIGITS -> new ColourDigits(new Seed(seed), records);
      case VOLUMES ->
          new SyntheticVolumes(
              records,
              new Seed(seed),
              extent == null ? SyntheticVolumes.EXTENT : extent,
              channels == null ? 1 : channels);
    };
  }

  private Importer random(SyntheticRecords.Kind shape, int digits) {
    return new SyntheticRecords(shape, records, new Seed(seed), digits);
  }
}
