package dev.tandem.data.dumping;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.DatabaseStatistics;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Dumps the databases of one snapshot of an environment. */
public final class DatabaseDump {

  private final Path path;
  private final Snapshot snapshot;
  private final DumpWriter writer;
  private final boolean printable;
  private final Progress progress;

  /**
   * @param path the environment as the user named it
   * @param printable printable characters stay as they are
   */
  public DatabaseDump(
      Path path, Snapshot snapshot, DumpWriter writer, boolean printable, Progress progress) {
    this.path = path;
    this.snapshot = snapshot;
    this.writer = writer;
    this.printable = printable;
    this.progress = progress;
  }

  /** The main database. */
  public void main() throws IOException {
    dump(snapshot.main(), Optional.empty());
  }

  /** One named database. */
  public void named(String name) throws IOException {
    dump(snapshot.database(name), Optional.of(name));
  }

  /** All named databases; as {@code mdb_dump -a}, without the records of the main one. */
  public void allNamed() throws IOException {
    for (String name : names()) {
      named(name);
    }
  }

  /** The names of all named databases, a line each. */
  public void list() throws IOException {
    for (String name : names()) {
      writer.text(name);
    }
  }

  private List<String> names() {
    List<String> names =
        snapshot.databaseNames().stream().filter(name -> name.indexOf('\0') < 0).toList();
    if (names.isEmpty()) {
      throw new WorkFailedException(path + " holds no named databases, only the main one");
    }
    return names;
  }

  private void dump(Database database, Optional<String> name) throws IOException {
    DatabaseStatistics statistics = database.statistics();
    writer.begin(
        new DumpHeader(
            printable,
            name,
            statistics.flags(),
            Math.max(snapshot.mapSize(), (snapshot.lastPage() + 1) * snapshot.pageSize()),
            0,
            Environment.readerSlots(path),
            snapshot.pageSize()));
    try (Progress.Task task =
        progress.start("dumping " + name.orElse("main"), statistics.entries(), "records")) {
      long records = 0;
      Cursor cursor = database.cursor();
      while (cursor.next()) {
        writer.record(cursor.key(), cursor.value());
        if ((++records & 1023) == 0) {
          task.advanceTo(records);
        }
      }
      snapshot.ensureIntact();
      task.advanceTo(records);
    }
    writer.end();
  }
}
