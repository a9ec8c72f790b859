package dev.tandem.bench;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for what a benchmark makes, gone when it ends, also by Ctrl-C. */
final class BenchFolder implements AutoCloseable {

  private final Path path;
  private final Thread atExit;

  private BenchFolder(Path path) {
    this.path = path;
    this.atExit = Thread.ofPlatform().name("remove-bench").unstarted(() -> removeQuietly(path));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  static BenchFolder in(Path folder) {
    try {
      return new BenchFolder(Files.createTempDirectory(folder, "tandem-bench"));
    } catch (IOException e) {
      throw FileErrors.failure("make a folder in", folder, e);
    }
  }

  Path path() {
    return path;
  }

  /** Removes something in the folder, if it is there. */
  void remove(String name) {
    removeQuietly(path.resolve(name));
  }

  private static void removeQuietly(Path root) {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> found = Files.walk(root)) {
      List<Path> paths = found.sorted(Comparator.reverseOrder()).toList();
      for (Path one : paths) {
        Files.deleteIfExists(one);
      }
    } catch (IOException e) {
      System.err.println("tandem: could not remove " + root + ": " + e);
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is going down and the hook does it.
      return;
    }
    removeQuietly(path);
  }
}
