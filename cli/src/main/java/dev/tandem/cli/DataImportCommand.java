package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.NpyFiles;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.importing.CifarImporter;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.DatabaseCopy;
import dev.tandem.data.importing.IdxImporter;
import dev.tandem.data.importing.ImageFolderImporter;
import dev.tandem.data.importing.ImageOptions;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.SourceImporter;
import dev.tandem.data.rows.RowsImporter;
import dev.tandem.data.source.NpySource;
import dev.tandem.data.source.TarSource;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a database from data in another format. */
@Command(
    name = "import",
    description = {
      "Makes a database from a folder of images (a subfolder per class; PNG, JPEG, BMP, GIF), from"
          + " MNIST's IDX files, from CIFAR-10's binary batches, from WebDataset tar shards, or"
          + " from another LMDB database (all its databases, compacted). Records as Caffe's tools"
          + " write them. From a CSV file each row becomes a record of numbers, with the column"
          + " --label to be predicted: a class, or a number."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data import --resize 256x256 --skip-bad photos photos.db",
      "  ./tandem data import --split test /usr/share/datasets/fashion-mnist test.db",
      "  ./tandem data import cifar-10-batches-bin cifar.db",
      "  ./tandem data import shards/ shards.db",
      "  ./tandem data import --label species iris.csv iris.db",
      "  ./tandem data import old.db compacted.db"
    })
final class DataImportCommand extends TandemCommand {

  @Option(
      names = "--from",
      description = "Format of the source: ${COMPLETION-CANDIDATES}. Default: detected")
  private SourceFormat format;

  @Option(
      names = "--labels",
      paramLabel = "FILE",
      description = "IDX: the file of labels. Default: derived from the name of the image file")
  private Path labels;

  @Option(
      names = "--split",
      defaultValue = "train",
      description =
          "Data sets in two halves (IDX, CIFAR-10, images in train/ and test/): which, ${COMPLETION-CANDIDATES}.")
  private SourceFormat.Split split;

  @Option(names = "--grey", description = "Images: one channel instead of blue, green and red.")
  private boolean grey;

  @Option(
      names = "--resize",
      paramLabel = "HEIGHTxWIDTH",
      description = "Images: resize all to one size. Default: original sizes")
  private String resize;

  @Option(names = "--encoded", description = "Images: store the files' bytes instead of pixels.")
  private boolean encoded;

  @Option(names = "--skip-bad", description = "Images: skip unreadable files instead of failing.")
  private boolean skipBad;

  @CommandLine.Mixin private RowImportOptions rows;

  @Option(
      names = "--like",
      paramLabel = "OTHER",
      description =
          "CSV: the same columns, categories and classes as in this database: for a test set.")
  private Path like;

  @CommandLine.Mixin private TargetOptions target;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "Folder or file to import.")
  private Path source;

  @Parameters(index = "1", paramLabel = "DB", description = "Folder of the new database.")
  private Path database;

  @Override
  protected Object run() {
    ImageOptions images = ImageOptions.of(grey, resize, encoded, skipBad);
    SourceFormat known = format == null ? SourceFormat.of(source) : format;
    boolean imageOptions = grey || resize != null || encoded || skipBad;
    if (imageOptions && known != SourceFormat.IMAGES) {
      throw new UsageException(
          "--grey, --resize, --encoded and --skip-bad are for folders of images; "
              + source
              + " is of format "
              + known);
    }
    rows.requireFor(source, known);
    if (like != null && known != SourceFormat.CSV) {
      throw new UsageException(
          "--like is for CSV files; %s is of format %s".formatted(source, known));
    }
    Progress progress = ConsoleProgress.system();
    DatabaseBuilder builder = target.builder(database, progress);
    return switch (known) {
      case IMAGES -> {
        ImageHalves.of(source).ifPresent(halves -> out().println(half(halves)));
        yield build(builder, new ImageFolderImporter(source, split, images));
      }
      case IDX -> build(builder, new IdxImporter(SourceFormat.idx(source, labels, split)));
      case CIFAR10 -> build(builder, new CifarImporter(SourceFormat.cifar10(source, split)));
      case TAR -> {
        try (RecordSource shards = TarSource.open(SourceFormat.tarShards(source))) {
          yield build(builder, new SourceImporter(shards));
        }
      }
      case CSV -> {
        RowsImporter importer = rows.importer(source, like);
        BuildResults results = build(builder, importer);
        out().println(RowImportOptions.sentence(importer.columns()));
        yield results;
      }
      case NPY -> {
        try (RecordSource arrays = NpySource.open(NpyFiles.of(source, split))) {
          yield build(builder, new SourceImporter(arrays));
        }
      }
      case LMDB ->
          BuildResults.of(database, builder.build(new DatabaseCopy(source, progress)), List.of())
              .print(out());
    };
  }

  private String half(ImageHalves halves) {
    return "%s is in parts: this imports %s; --split %s imports another"
        .formatted(
            source,
            halves.half(split).getFileName(),
            split == SourceFormat.Split.TRAIN ? "test" : "train");
  }

  private BuildResults build(DatabaseBuilder builder, Importer importer) {
    DatabaseBuilder.Built built = builder.build(importer);
    for (String line : importer.skipped()) {
      out().println("left out: " + line);
    }
    BuildResults results = BuildResults.of(database, built, importer.skipped()).print(out());
    if (!importer.labels().isEmpty()) {
      out()
          .printf(
              "%,d classes, their names by label in %s%n",
              importer.labels().size(), database.resolve("labels.txt"));
    }
    return results;
  }
}
