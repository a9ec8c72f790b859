package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.data.dumping.DumpReader;
import dev.tandem.data.importing.CommittingWriter;
import dev.tandem.data.importing.DatabaseBuilder.Built;
import dev.tandem.data.importing.DumpLoad;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a database from a dump, or adds a dump to one. */
@Command(
    name = "load",
    description = {
      "Makes a database from a dump of tandem data dump or mdb_dump (bytevalue or print)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data load -f all.dump copy.db",
      "  mdb_dump -a old.db | ./tandem data load new.db",
      "  ./tandem data load --merge -f more.dump copy.db"
    })
final class DataLoadCommand extends TandemCommand {

  @Option(names = "-f", paramLabel = "FILE", description = "Read FILE instead of standard input.")
  private Path file;

  @Option(
      names = "-s",
      paramLabel = "NAME",
      description = "Load into this named database, unless the dump names one itself.")
  private String name;

  @Option(
      names = "--append",
      description = "Keys are sorted: faster and denser; an unsorted key is an error.")
  private boolean append;

  @Option(
      names = "--merge",
      description =
          "Add to an existing database instead of making one, in one transaction: all or nothing.")
  private boolean merge;

  @CommandLine.Mixin private TargetOptions target;

  @Parameters(paramLabel = "DB", description = "Folder of the database.")
  private Path database;

  @Override
  protected Object run() {
    if (merge && target.overwrite()) {
      throw new UsageException("--merge and --overwrite exclude each other");
    }
    Path source = file == null ? Path.of("standard input") : file;
    try (InputStream stream = file == null ? System.in : Files.newInputStream(file)) {
      DumpLoad load =
          new DumpLoad(
              new DumpReader(source, stream),
              Optional.ofNullable(name),
              append,
              ConsoleProgress.system());
      Built built = merge ? merge(load) : target.builder(database, Progress.SILENT).build(load);
      return BuildResults.of(database, built, List.of()).print(out());
    } catch (IOException e) {
      throw FileErrors.failure("read", source, e);
    }
  }

  private Built merge(DumpLoad load) {
    // Refuses a wrong path before the writer would make a database there.
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      snapshot.main();
    }
    long began = System.nanoTime();
    try (CommittingWriter writer =
        CommittingWriter.open(database, WriterOptions.DEFAULT, Long.MAX_VALUE)) {
      load.fill(writer);
      writer.finish();
      return new Built(writer.records(), writer.bytes(), (System.nanoTime() - began) / 1e9);
    }
  }
}
