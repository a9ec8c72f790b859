package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.rows.RowsImporter;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.nn.models.Models;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.DataCheck;
import dev.tandem.train.start.ImageStart;
import dev.tandem.train.start.StartConfig;
import dev.tandem.train.start.StartKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a configuration to begin with. */
@Command(
    name = "init",
    description = {
      "Writes a commented configuration for ./tandem train. Without --data it uses Fashion-MNIST,"
          + " if Debian's package dataset-fashion-mnist is installed, and otherwise a database of"
          + " drawn digits that it makes beside the file."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem init                                   writes train.yaml",
      "  ./tandem init photos.yaml --data photos         a folder of images of any size",
      "  ./tandem init cifar.yaml --model resnet18-small --data cifar-10-batches-bin",
      "  ./tandem init prices.yaml --data prices.csv --label price"
    })
final class InitCommand extends TandemCommand {

  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");
  private static final List<String> FASHION_NAMES =
      List.of(
          "T-shirt",
          "trousers",
          "pullover",
          "dress",
          "coat",
          "sandal",
          "shirt",
          "sneaker",
          "bag",
          "ankle boot");
  private static final int GLYPHS = 20_000;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      defaultValue = "train.yaml",
      description = "The file to write. Default: ${DEFAULT-VALUE}")
  private Path file;

  @Option(
      names = "--model",
      paramLabel = "M",
      description =
          "The network, by name. Default: lenet for grey 28x28, resnet18-small for colour 32x32,"
              + " small-cnn for all other images and for volumes, mlp for rows")
  private String model;

  @Option(
      names = "--data",
      paramLabel = "D",
      description =
          "The data set: a folder of images (subfolders are classes, or train/ and val/ or test/ with"
              + " such subfolders), LMDB, IDX, CIFAR-10, tar shards, NumPy arrays (x.npy and y.npy),"
              + " or a CSV file with --label, of which it makes a database beside the file. If it has no test half, the"
              + " file gets data.split: 0.1.")
  private Path data;

  @CommandLine.Mixin private RowImportOptions rows;

  @Option(
      names = "--schema",
      description =
          "Print the JSON Schema of configurations, with which editors complete and check them, and"
              + " write nothing.")
  private boolean schema;

  /** What {@code --json} gets. */
  record Results(String file, String model, String train, String test) {}

  @Override
  protected Object run() {
    if (schema) {
      out().println(ConfigFile.schema());
      return Map.of("schema", "printed");
    }
    if (Files.exists(file)) {
      throw new UsageException(file + " exists already; name another file");
    }
    // Before data is drawn or read.
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder)) {
      throw new UsageException("%s: no such folder: %s".formatted(file, folder));
    }
    StartConfig start = start();
    String text = start.text();
    // What is written must work as it is.
    DataCheck.check(ConfigFile.parse(file.toString(), text).config());
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    DurableFiles.system().replace(file.toAbsolutePath(), bytes);
    start.found().forEach(out()::println);
    out().printf("wrote %s; now: ./tandem train %s -n 2%n", file, file);
    return new Results(file.toString(), start.model(), start.train(), start.test());
  }

  private StartConfig start() {
    if (model != null) {
      requireKnown(model);
    }
    if (data == null) {
      rows.requireNone();
    }
    if (data != null) {
      return StartKind.of(database(data), model);
    }
    if (Files.isDirectory(FASHION)) {
      return ImageStart.choose(FASHION, FASHION, model, FASHION_NAMES);
    }
    Path folder = file.toAbsolutePath().resolveSibling("glyphs");
    Progress progress = ConsoleProgress.system();
    Path train = folder.resolve("train");
    Path test = folder.resolve("test");
    if (!Files.exists(folder)) {
      GlyphDatabase.write(train, new Seed(1).derive("training"), GLYPHS, progress);
      GlyphDatabase.write(test, new Seed(1).derive("test"), GLYPHS / 5, progress);
    }
    return ImageStart.choose(train, test, model, List.of());
  }

  /** A table becomes a database beside the configuration; other data is used where it is. */
  private Path database(Path source) {
    SourceFormat format = SourceFormat.of(source);
    rows.requireFor(source, format);
    if (format != SourceFormat.CSV) {
      return source;
    }
    String name = source.getFileName().toString().replaceFirst("[.][ct]sv$", "") + ".db";
    Path parent = file.getParent();
    Path database = parent == null ? Path.of(name) : parent.resolve(name);
    if (Files.exists(database)) {
      throw new UsageException(
          "%s exists already; if it was made of %s, use --data %s"
              .formatted(database, source, database));
    }
    RowsImporter importer = rows.importer(source, null);
    DatabaseBuilder.Built built =
        new DatabaseBuilder(
                database, false, WriterOptions.DEFAULT, 100_000, ConsoleProgress.system())
            .build(importer);
    importer.skipped().forEach(line -> out().println("left out: " + line));
    out()
        .printf(
            "wrote %s: %,d rows, %s%n",
            database, built.records(), RowImportOptions.sentence(importer.columns()));
    return database;
  }

  private static void requireKnown(String name) {
    for (String known : Models.names()) {
      if (known.equals(name)) {
        return;
      }
    }
    throw new UsageException(
        "--model is '%s', expected one of %s".formatted(name, String.join(", ", Models.names())));
  }
}
