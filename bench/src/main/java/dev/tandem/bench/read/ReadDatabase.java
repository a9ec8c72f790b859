package dev.tandem.bench.read;

import dev.tandem.bench.Children;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.SyntheticRecords;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.PageCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A database that is read.
 *
 * @param name as in the results: cifar, imagenet or small
 */
record ReadDatabase(String name, Path folder, long records, long fileBytes) {

  private static final Seed PIXELS = new Seed(1);
  private static final int COMMIT_EVERY = 1000;
  private static final int COOLING_ATTEMPTS = 10;

  /** What may be left of a cold file in the page cache. */
  private static final double COLD_SHARE = 0.001;

  /** Makes it, with a commit every 1000 records as Caffe's tool has them, or finds it made. */
  static ReadDatabase in(Path folder, SyntheticRecords.Kind kind, long records, Progress progress) {
    return in(folder, kind.name().toLowerCase(Locale.ROOT), kind, records, progress);
  }

  /** One of CIFAR-like records that fits into any memory, and nearly into a processor's cache. */
  static ReadDatabase small(Path folder, long records, Progress progress) {
    return in(folder, "small", SyntheticRecords.Kind.CIFAR, records, progress);
  }

  private static ReadDatabase in(
      Path folder, String name, SyntheticRecords.Kind kind, long records, Progress progress) {
    Path database = folder.resolve(name);
    if (!Files.exists(Environment.dataFile(database))) {
      new DatabaseBuilder(database, false, WriterOptions.DEFAULT, COMMIT_EVERY, progress)
          .build(new SyntheticRecords(kind, records, PIXELS));
    }
    ReadDatabase made = opened(name, database);
    if (made.records != records) {
      throw new WorkFailedException(
          "%s has %,d records instead of %,d: remove it or choose another --dir"
              .formatted(database, made.records, records));
    }
    return made;
  }

  private static ReadDatabase opened(String name, Path database) {
    try (Environment environment = Environment.openWithoutLock(database);
        Snapshot snapshot = environment.snapshot()) {
      return new ReadDatabase(
          name, database, snapshot.main().size(), Files.size(environment.file()));
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", database, e);
    }
  }

  /** The same where the folder that it is in is mounted. */
  ReadDatabase in(LatencyStorage storage) {
    Path seen = storage.path().resolve(folder.getFileName());
    return new ReadDatabase(name, seen, records, fileBytes);
  }

  Path file() {
    return Environment.dataFile(folder);
  }

  /** Bytes of the file for a record: what has to come from the storage for it. */
  double bytesPerRecord() {
    return (double) fileBytes / records;
  }

  /** The index is beside the database, as {@code tandem data index} leaves it, or is not. */
  void index(boolean atHand) {
    Path index = RecordIndex.fileOf(folder, Optional.empty());
    if (atHand) {
      RecordIndex.openOrBuild(folder, Progress.SILENT);
    } else {
      try {
        Files.deleteIfExists(index);
      } catch (IOException e) {
        throw FileErrors.failure("delete", index, e);
      }
    }
  }

  /**
   * The page cache holds nothing of it; the caches of everything else stay. Pages that a process
   * has mapped are not dropped: a process that is just ending, or this one until garbage is
   * collected.
   */
  void cool() {
    PageCache cache = PageCache.capability().orElseThrow();
    long left = 0;
    for (int attempt = 0; attempt < COOLING_ATTEMPTS; attempt++) {
      if (attempt > 0) {
        System.gc();
      }
      cache.drop(file());
      left = cache.residentBytes(file(), 0, fileBytes);
      if (left <= COLD_SHARE * fileBytes) {
        return;
      }
    }
    throw new WorkFailedException(
        "%s cannot be measured cold: %,d bytes of it stay in the page cache"
            .formatted(file(), left));
  }

  /** The page cache holds all of it. */
  void warm() {
    Children.run(List.of("dd", "if=" + file(), "of=/dev/null", "bs=1M", "status=none"));
  }
}
