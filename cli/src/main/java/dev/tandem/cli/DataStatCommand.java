package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.data.dumping.DatabaseFlag;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.DatabaseStatistics;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.check.PageCensus;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Tells what is in a database and how it lies in its file. */
@Command(
    name = "stat",
    description = {
      "Prints what a database holds and how: what its pages are used for, statistics of all"
          + " databases, the layout of the values, the parameters from which it follows if it does,"
          + " and the index."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem data stat photos.db")
final class DataStatCommand extends TandemCommand {

  @Parameters(paramLabel = "DB", description = "Folder of the database, or its data file.")
  private Path database;

  /** What {@code --json} gets. */
  record Results(
      String file,
      long bytes,
      int pageSize,
      long pages,
      long transaction,
      long mapBytes,
      boolean sound,
      PageCensus census,
      List<Tree> databases,
      List<ValueLayout> layouts) {}

  /** One database. */
  record Tree(String name, DatabaseStatistics statistics, List<String> flags) {}

  @Override
  protected Object run() throws IOException {
    Progress progress = ConsoleProgress.system();
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      StructureCheck.Report report = StructureCheck.run(snapshot, progress);
      List<Tree> trees = new ArrayList<>();
      List<ValueLayout> layouts = new ArrayList<>();
      add(snapshot.main(), Optional.empty(), trees);
      List<String> names = snapshot.databaseNames();
      for (String name : names) {
        add(snapshot.database(name), Optional.of(name), trees);
      }
      if (report.sound()) {
        layouts.add(ValueLayout.of(database, snapshot.main(), Optional.empty(), progress));
        for (String name : names) {
          layouts.add(
              ValueLayout.of(database, snapshot.database(name), Optional.of(name), progress));
        }
      }
      Results results =
          new Results(
              environment.file().toString(),
              size(environment.file()),
              snapshot.pageSize(),
              snapshot.lastPage() + 1,
              snapshot.transaction(),
              snapshot.mapSize(),
              report.sound(),
              report.census(),
              trees,
              layouts);
      print(results);
      return results;
    }
  }

  private static void add(Database tree, Optional<String> name, List<Tree> trees) {
    DatabaseStatistics statistics = tree.statistics();
    List<String> flags = new ArrayList<>();
    for (DatabaseFlag flag : DatabaseFlag.values()) {
      if (flag.in(statistics.flags())) {
        flags.add(flag.keyword());
      }
    }
    trees.add(new Tree(name.orElse(""), statistics, flags));
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", file, e);
    }
  }

  private void print(Results results) {
    out()
        .printf(
            Locale.ROOT,
            "%s: %,d bytes, %,d pages of %,d bytes, transaction %,d, map of %,d bytes%n",
            results.file,
            results.bytes,
            results.pages,
            results.pageSize,
            results.transaction,
            results.mapBytes);
    PageCensus census = results.census;
    out()
        .printf(
            Locale.ROOT,
            "pages: %,d meta, %,d branch (%.0f%% full), %,d leaf (%.0f%% full), %,d overflow,"
                + " %,d free, %,d lost%n",
            census.meta(),
            census.branch(),
            census.branchFill() * 100,
            census.leaf(),
            census.leafFill() * 100,
            census.overflow(),
            census.free(),
            census.lost());
    for (Tree tree : results.databases) {
      DatabaseStatistics statistics = tree.statistics;
      out()
          .printf(
              Locale.ROOT,
              "%s: %,d entries, depth %d, %,d branch, %,d leaf, %,d overflow pages%s%n",
              tree.name.isEmpty() ? "main database" : "database " + tree.name,
              statistics.entries(),
              statistics.depth(),
              statistics.branchPages(),
              statistics.leafPages(),
              statistics.overflowPages(),
              tree.flags.isEmpty() ? "" : ", " + String.join(" ", tree.flags));
    }
    for (ValueLayout layout : results.layouts) {
      layout.print(out());
    }
    if (!results.sound) {
      out().println("the structure is damaged: run ./tandem data verify " + database);
    }
  }
}
