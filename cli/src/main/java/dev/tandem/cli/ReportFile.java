package dev.tandem.cli;

import dev.tandem.board.BarPage;
import dev.tandem.board.EnsembleReport;
import dev.tandem.board.RunReport;
import dev.tandem.board.StudyReport;
import dev.tandem.core.TandemException;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The {@code report.html} in the folder of a run. */
final class ReportFile {

  private static final String NAME = "report.html";

  private ReportFile() {}

  /** Writes a page to a file. */
  static void write(Path file, BarPage page) {
    byte[] html = page.html().getBytes(StandardCharsets.UTF_8);
    DurableFiles.system().replace(file.toAbsolutePath(), ByteBuffer.wrap(html));
  }

  /** Writes it from the other files of the run; one that cannot be written costs only a line. */
  static Path write(Path run) {
    return write(run, () -> RunReport.of(run).html());
  }

  /** The same of an ensemble. */
  static Path ofEnsemble(Path folder) {
    return write(folder, () -> EnsembleReport.of(folder).html());
  }

  /** The same of a study. */
  static Path ofStudy(Path folder) {
    return write(folder, () -> StudyReport.html(folder));
  }

  private static Path write(Path folder, Supplier<String> report) {
    Path file = folder.resolve(NAME);
    try {
      byte[] html = report.get().getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(file, ByteBuffer.wrap(html));
    } catch (TandemException e) {
      System.err.println("no report: " + e.getMessage());
    }
    return file;
  }
}
