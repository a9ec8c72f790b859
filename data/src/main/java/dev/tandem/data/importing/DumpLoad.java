package dev.tandem.data.importing;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.dumping.DumpHeader;
import dev.tandem.data.dumping.DumpReader;
import java.util.Optional;

/** Fills an environment with the databases of a dump. */
public final class DumpLoad implements DatabaseBuilder.Filling {

  private final DumpReader dump;
  private final Optional<String> name;
  private final boolean append;
  private final Progress progress;

  /**
   * @param name where records go that the dump gives no database for, as {@code mdb_load -s}
   * @param append keys come sorted
   */
  public DumpLoad(DumpReader dump, Optional<String> name, boolean append, Progress progress) {
    this.dump = dump;
    this.name = name;
    this.append = append;
    this.progress = progress;
  }

  @Override
  public void fill(CommittingWriter writer) {
    try (Progress.Task task = progress.start("loading", 0, "records")) {
      for (Optional<DumpHeader> header = dump.nextDatabase();
          header.isPresent();
          header = dump.nextDatabase()) {
        writer.use(header.get().database().or(() -> name), header.get().flags(), append);
        while (dump.next()) {
          try {
            writer.put(dump.key(), dump.value());
          } catch (WorkFailedException e) {
            throw new WorkFailedException(
                "cannot load up to line " + dump.lineNumber() + ": " + e.getMessage(), e);
          }
          if ((writer.records() & 1023) == 0) {
            task.advanceTo(writer.records());
          }
        }
      }
      task.advanceTo(writer.records());
    }
  }
}
