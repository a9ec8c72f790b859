package dev.tandem.data.importing;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Makes a database from what an {@link Importer} hands out. The database appears under its name
 * when it is whole, or not at all.
 */
public final class DatabaseBuilder {

  private final Path target;
  private final boolean overwrite;
  private final WriterOptions options;
  private final long commitEvery;
  private final Progress progress;

  public DatabaseBuilder(
      Path target, boolean overwrite, WriterOptions options, long commitEvery, Progress progress) {
    this.target = target;
    this.overwrite = overwrite;
    this.options = options;
    this.commitEvery = commitEvery;
    this.progress = progress;
  }

  /** What was made. */
  public record Built(long records, long bytes, double seconds) {}

  /** Work that fills an environment. */
  @FunctionalInterface
  public interface Filling {
    void fill(CommittingWriter writer);
  }

  /** Makes the database from an importer's records, and {@code labels.txt} if it has labels. */
  public Built build(Importer importer) {
    return build(
        (writer, folder) -> {
          String label = "writing " + target.getFileName();
          long count = importer.count().orElse(0);
          try (Progress.Task task = progress.start(label, count, "records")) {
            importer.importTo(
                (key, value) -> {
                  writer.put(key, value);
                  if ((writer.records() & 63) == 0) {
                    task.advanceTo(writer.records(), remark(importer));
                  }
                });
            task.advanceTo(writer.records(), remark(importer));
          }
          if (!importer.labels().isEmpty()) {
            write(folder.resolve("labels.txt"), String.join("\n", importer.labels()) + "\n");
          }
          importer.files().forEach((name, text) -> write(folder.resolve(name), text));
        });
  }

  private static void write(Path file, String text) {
    DurableFiles.system().replace(file, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Makes the database by other work. */
  public Built build(Filling filling) {
    return build((writer, folder) -> filling.fill(writer));
  }

  private static String remark(Importer importer) {
    int skipped = importer.skipped().size();
    return skipped == 0 ? "" : skipped + " left out";
  }

  private interface FolderFilling {
    void fill(CommittingWriter writer, Path folder);
  }

  private Built build(FolderFilling filling) {
    long began = System.nanoTime();
    try (PendingFolder folder = PendingFolder.begin(target, overwrite)) {
      long records;
      long bytes;
      try (CommittingWriter writer = CommittingWriter.open(folder.path(), options, commitEvery)) {
        filling.fill(writer, folder.path());
        writer.finish();
        records = writer.records();
        bytes = writer.bytes();
      }
      folder.complete();
      return new Built(records, bytes, (System.nanoTime() - began) / 1e9);
    }
  }
}
