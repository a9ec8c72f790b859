package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Looks for damage. */
@Command(
    name = "verify",
    description = {
      "Checks the structure of all databases, their indexes, and, where an index has checksums"
          + " (tandem data index --checksums), every value. One line per problem; exit code 1"
          + " if there are any."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem data verify photos.db")
final class DataVerifyCommand extends TandemCommand {

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  /** What {@code --json} gets. */
  record Results(String database, boolean sound, List<String> problems, List<String> checked) {}

  @Override
  protected Object run() {
    Progress progress = ConsoleProgress.system();
    List<String> problems = new ArrayList<>();
    List<String> checked = new ArrayList<>();
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      StructureCheck.Report report = StructureCheck.run(snapshot, progress);
      problems.addAll(report.problems());
      checked.add("structure of %,d pages".formatted(snapshot.lastPage() + 1));
      if (report.sound()) {
        verifyIndex(snapshot.main(), Optional.empty(), problems, checked, progress);
        for (String name : snapshot.databaseNames()) {
          verifyIndex(snapshot.database(name), Optional.of(name), problems, checked, progress);
        }
      }
    }
    for (String problem : problems) {
      err().println("tandem: " + problem);
    }
    for (String what : checked) {
      out().println("checked: " + what);
    }
    if (problems.isEmpty()) {
      out().println(database + ": no problem found");
    }
    return new Results(database.toString(), problems.isEmpty(), problems, checked);
  }

  private void verifyIndex(
      Database tree,
      Optional<String> name,
      List<String> problems,
      List<String> checked,
      Progress progress) {
    Path file = RecordIndex.fileOf(database, name);
    if (!Files.exists(file)) {
      if (name.isEmpty()) {
        checked.add("neither index nor values: " + file.getFileName() + " is missing");
      }
      return;
    }
    try {
      RecordIndex index = RecordIndex.load(file);
      if (!index.describes(tree)) {
        problems.add(file + " does not match the database: run tandem data index " + database);
        return;
      }
      problems.addAll(index.verify(tree, progress));
      checked.add(
          "index of %,d records in %s, %s"
              .formatted(
                  index.size(),
                  file.getFileName(),
                  index.hasChecksums()
                      ? "and their checksums"
                      : "not the values: the index has no checksums"));
    } catch (WorkFailedException e) {
      problems.add(e.getMessage());
    }
  }

  @Override
  protected ExitCode exitCode(Object results) {
    return ((Results) results).sound ? ExitCode.DONE : ExitCode.FAILED;
  }
}
