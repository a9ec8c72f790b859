package dev.tandem.bench;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Tandem's side of the index benchmark, in a process of its own: opens the environment and loads
 * the index if it is there; else builds it and saves it after the clock was stopped. Prints
 * seconds.
 */
final class LmdbIndexMain {

  private LmdbIndexMain() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    long began = System.nanoTime();
    Path file = RecordIndex.fileOf(folder, Optional.empty());
    RecordIndex index;
    if (Files.exists(file)) {
      index = RecordIndex.openOrBuild(folder, Progress.SILENT);
    } else {
      try (Environment environment = Environment.openWithoutLock(folder);
          Snapshot snapshot = environment.snapshot()) {
        index = RecordIndex.build(snapshot.main(), false, Progress.SILENT);
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    if (!Files.exists(file)) {
      index.save(file);
    }
    System.err.println(index.size() + " records, " + index.origin());
    System.out.println(seconds);
  }
}
