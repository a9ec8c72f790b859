package dev.tandem.cli;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds the record index of a database. */
@Command(
    name = "index",
    description = {
      "Builds the index of a database: the location of every record in the file, so that any record"
          + " is one read. It is stored beside the database (data.mdb.tdx) and built again when the"
          + " database has changed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data index photos.db",
      "  ./tandem data index --checksums photos.db   verify then finds damaged values, too"
    })
final class DataIndexCommand extends TandemCommand {

  @Option(
      names = "--checksums",
      description = "Store a checksum of every record, too; reads the whole database.")
  private boolean checksums;

  @Option(
      names = "--database",
      paramLabel = "NAME",
      description = "Index this named database instead of the main one.")
  private String name;

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  /** What {@code --json} gets. */
  record Results(
      String index,
      String origin,
      long records,
      boolean checksums,
      long fileBytes,
      long memoryBytes,
      double seconds) {}

  @Override
  protected Object run() {
    long began = System.nanoTime();
    Optional<String> named = Optional.ofNullable(name);
    RecordIndex index =
        RecordIndex.openOrBuild(database, named, checksums, ConsoleProgress.system());
    double seconds = (System.nanoTime() - began) / 1e9;
    Path file = RecordIndex.fileOf(database, named);
    if (index.origin().contains("not saved")) {
      throw new WorkFailedException("the index of " + database + " was " + index.origin());
    }
    Results results =
        new Results(
            file.toString(),
            index.origin(),
            index.size(),
            index.hasChecksums(),
            size(file),
            index.memory(),
            seconds);
    out()
        .printf(
            Locale.ROOT,
            "%s: %,d records%s, %,d bytes, %s in %.3f s%n",
            file,
            results.records,
            results.checksums ? " with checksums" : "",
            results.fileBytes,
            results.origin,
            seconds);
    return results;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", file, e);
    }
  }
}
