package dev.tandem.bench;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.RecordIndex;
import java.nio.file.Path;

/**
 * Tandem's side of the index benchmark, in a process of its own: opens the environment, builds the
 * index or loads it if it is there; prints seconds.
 */
final class LmdbIndexMain {

  private LmdbIndexMain() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    long began = System.nanoTime();
    RecordIndex index = RecordIndex.openOrBuild(folder, Progress.SILENT);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.err.println(index.size() + " records, " + index.origin());
    System.out.println(seconds);
  }
}
