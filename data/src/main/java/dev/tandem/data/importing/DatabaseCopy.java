package dev.tandem.data.importing;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Copies all databases of an environment, flags and all, into a new one without free pages and with
 * full leaves. The source may be written to meanwhile: its newest state at the beginning is copied.
 */
public final class DatabaseCopy implements DatabaseBuilder.Filling {

  private final Path source;
  private final Progress progress;

  public DatabaseCopy(Path source, Progress progress) {
    this.source = source;
    this.progress = progress;
  }

  @Override
  public void fill(CommittingWriter writer) {
    try (Environment environment = Environment.open(source);
        Snapshot snapshot = environment.snapshot()) {
      List<String> names = snapshot.databaseNames();
      Database main = snapshot.main();
      long total = main.size() - names.size();
      for (String name : names) {
        total += snapshot.database(name).size();
      }
      try (Progress.Task task =
          progress.start("copying " + source.getFileName(), total, "records")) {
        // The main database's own records first: they can be appended only before the others.
        copy(main, Optional.empty(), new HashSet<>(names), writer, task);
        for (String name : names) {
          copy(snapshot.database(name), Optional.of(name), Set.of(), writer, task);
        }
        task.advanceTo(writer.records());
      }
      snapshot.ensureIntact();
    }
  }

  private static void copy(
      Database database,
      Optional<String> name,
      Set<String> left,
      CommittingWriter writer,
      Progress.Task task) {
    writer.use(name, database.statistics().flags(), true);
    Cursor cursor = database.cursor();
    while (cursor.next()) {
      MemorySegment key = cursor.key();
      if (!left.isEmpty() && left.contains(text(key))) {
        continue;
      }
      writer.put(key, cursor.value());
      if ((writer.records() & 1023) == 0) {
        task.advanceTo(writer.records());
      }
    }
  }

  private static String text(MemorySegment key) {
    return new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }
}
