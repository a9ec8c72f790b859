package dev.tandem.bench;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder for what a benchmark makes, gone when it ends, also by Ctrl-C. */
public final class BenchFolder implements AutoCloseable {

  private final Path path;
  private final Thread atExit;

  private BenchFolder(Path path) {
    this.path = path;
    this.atExit = Thread.ofPlatform().name("remove-bench").unstarted(() -> removeQuietly(path));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Makes one in an existing folder. */
  public static BenchFolder in(Path folder) {
    try {
      return new BenchFolder(Files.createTempDirectory(folder, "tandem-bench"));
    } catch (IOException e) {
      throw FileErrors.failure("make a folder in", folder, e);
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** Writes a resource of this package into the folder, such as the source of a peer. */
  Path extract(String name) {
    return extract(BenchFolder.class, name);
  }

  /** Writes a resource that lies beside a class into the folder. */
  public Path extract(Class<?> beside, String name) {
    Path file = path.resolve(name);
    try (InputStream text = beside.getResourceAsStream(name)) {
      Files.copy(text, file);
      return file;
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  /** Removes something in the folder, if it is there. */
  void remove(String name) {
    removeQuietly(path.resolve(name));
  }

  private static void removeQuietly(Path root) {
    try {
      FileTrees.delete(root);
    } catch (WorkFailedException e) {
      System.err.println("tandem: " + e.getMessage());
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
