package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.dumping.DatabaseDump;
import dev.tandem.data.dumping.DumpWriter;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a database as text. */
@Command(
    name = "dump",
    description = {
      "Prints a database as text, byte for byte as Debian's mdb_dump does; mdb_load and"
          + " tandem data load read it. Without -a or -s: the main database."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data dump -p photos.db | head",
      "  ./tandem data dump -a -f all.dump photos.db"
    })
final class DataDumpCommand extends TandemCommand {

  @Option(names = "-a", description = "All named databases.")
  private boolean all;

  @Option(names = "-s", paramLabel = "NAME", description = "This named database.")
  private String name;

  @Option(names = "-l", description = "Only list the names of the named databases.")
  private boolean list;

  @Option(
      names = "-p",
      description =
          "Write printable characters as they are, backslashes included, as mdb_dump 0.9.24 does:"
              + " omit -p if the dump is to be loaded again.")
  private boolean printable;

  @Option(names = "-n", description = "DB is a data file, not a folder (detected without -n, too).")
  private boolean noFolder;

  @Option(
      names = "-f",
      paramLabel = "FILE",
      description = "Write to FILE instead of standard output.")
  private Path file;

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  /** What {@code --json} gets. */
  record Results(String database, double seconds) {}

  @Override
  protected Object run() throws IOException {
    if ((all || list) && name != null) {
      throw new UsageException("-a, -l and -s exclude each other");
    }
    if (noFolder && Files.isDirectory(database)) {
      throw new UsageException("-n says that " + database + " is a file, it is a folder");
    }
    long began = System.nanoTime();
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      if (file == null) {
        dump(snapshot, new CheckedOutput(System.out), Progress.SILENT);
      } else if (Files.exists(file) && !Files.isRegularFile(file)) {
        toFile(snapshot, file);
      } else {
        Path pending = file.resolveSibling(file.getFileName() + ".pending");
        try {
          toFile(snapshot, pending);
          DurableFiles.system().rename(pending, file);
        } catch (RuntimeException e) {
          DurableFiles.system().delete(pending);
          throw e;
        }
      }
    }
    return new Results(database.toString(), (System.nanoTime() - began) / 1e9);
  }

  private void toFile(Snapshot snapshot, Path target) {
    try (OutputStream stream = Files.newOutputStream(target)) {
      dump(snapshot, stream, ConsoleProgress.system());
    } catch (IOException e) {
      throw FileErrors.failure("write", target, e);
    }
  }

  private void dump(Snapshot snapshot, OutputStream stream, Progress progress) throws IOException {
    DumpWriter writer = new DumpWriter(stream);
    DatabaseDump dump = new DatabaseDump(database, snapshot, writer, printable, progress);
    if (list) {
      dump.list();
    } else if (all) {
      dump.allNamed();
    } else if (name != null) {
      dump.named(name);
    } else {
      dump.main();
    }
    writer.flush();
  }

  /** Standard output keeps its failures to itself; a full disk or closed pipe must not be lost. */
  private static final class CheckedOutput extends OutputStream {
    private final PrintStream stream;

    CheckedOutput(PrintStream stream) {
      this.stream = stream;
    }

    @Override
    public void write(int b) {
      stream.write(b);
      check();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      stream.write(bytes, offset, length);
      check();
    }

    @Override
    public void flush() {
      check();
    }

    private void check() {
      if (stream.checkError()) {
        throw new WorkFailedException(
            "cannot write to standard output: its reader has closed it or the disk is full");
      }
    }
  }
}
