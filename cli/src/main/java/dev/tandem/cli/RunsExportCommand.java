package dev.tandem.cli;

import dev.tandem.board.MetricsTable;
import dev.tandem.board.RunInfo;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Exports the numbers of a run. */
@Command(
    name = "export",
    description = {
      "Writes the numbers of a run as a table: one row per event, in the order of time, one column"
          + " per number. Steps that were made again after a restart are there once."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem runs export runs/demo --csv                    to standard output",
      "  ./tandem runs export runs/demo --csv --output demo.csv",
      "  ./tandem runs export runs/demo --csv --events system"
    })
final class RunsExportCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or its name below runs/.")
  private Path given;

  @SuppressWarnings("UnusedVariable") // the only format so far
  @Option(names = "--csv", required = true, description = "As comma-separated values (RFC 4180).")
  private boolean csv;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Write to FILE. Default: standard output")
  private Path output;

  @Option(
      names = "--events",
      paramLabel = "KINDS",
      split = ",",
      defaultValue = "step,epoch",
      description =
          "Kinds of events, such as step, epoch, ranks, system, checkpoint. Default:"
              + " ${DEFAULT-VALUE}")
  private List<String> events;

  /** What {@code --json} gets. */
  record Results(String run, String output, List<String> columns, long rows) {}

  @Override
  protected Object run() {
    RunInfo run = RunsCommand.run(given);
    MetricsTable table = MetricsTable.of(run.path(), events);
    if (table.columns().isEmpty()) {
      throw new UsageException(
          "%s has no events of the kinds %s".formatted(given, String.join(", ", events)));
    }
    long rows;
    try {
      if (output == null) {
        rows = table.write(out());
        out().flush();
      } else {
        rows = writeFile(table, output.toAbsolutePath());
        out().printf("%,d rows: %s%n", rows, output);
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", output, e);
    }
    return new Results(
        run.path().toString(), output == null ? "" : output.toString(), table.columns(), rows);
  }

  private static long writeFile(MetricsTable table, Path file) throws IOException {
    if (!Files.isDirectory(file.getParent())) {
      throw new UsageException("--output " + file + ": no such folder: " + file.getParent());
    }
    Path pending = file.resolveSibling(file.getFileName() + ".pending");
    long rows;
    try (Writer writer = Files.newBufferedWriter(pending)) {
      rows = table.write(writer);
    }
    Files.move(pending, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return rows;
  }
}
