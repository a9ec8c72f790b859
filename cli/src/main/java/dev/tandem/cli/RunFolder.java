package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of one run. A new run takes the place of an older one of the same kind, which a marker
 * file identifies; a folder with anything else in it is never touched.
 */
record RunFolder(Path path) {

  private static final String MARKER = ".tandem-run";
  private static final String PENDING = ".pending";

  /** Makes the folder, empty but for its marker. */
  static RunFolder create(Path path) {
    RunFolder run = new RunFolder(path.toAbsolutePath().normalize());
    try {
      if (Files.exists(run.path)) {
        run.requireReplaceable();
        FileTrees.delete(run.path);
      }
      Files.createDirectories(run.path);
      Files.createFile(run.path.resolve(MARKER));
      return run;
    } catch (IOException e) {
      throw FileErrors.failure("make the run folder", run.path, e);
    }
  }

  /** Makes the folder of a new run; one that is there already is left alone. */
  static RunFolder fresh(Path path) {
    if (Files.exists(path)) {
      throw new UsageException(
          path + " exists already: continue it with --resume or choose another --name");
    }
    return create(path);
  }

  /** Makes the folder of a new run below another: of this name, or of the first that is free. */
  static RunFolder numbered(Path runs, String name) {
    Path path = runs.resolve(name);
    for (int number = 2; Files.exists(path); number++) {
      path = runs.resolve(name + "-" + number);
    }
    return create(path);
  }

  /** The newest of the runs that {@link #numbered} made. */
  static RunFolder newest(Path runs, String name) {
    Path path = runs.resolve(name);
    for (int number = 2; Files.exists(runs.resolve(name + "-" + number)); number++) {
      path = runs.resolve(name + "-" + number);
    }
    return existing(path);
  }

  /** The folder of a run that is there. */
  static RunFolder existing(Path path) {
    if (!Files.exists(path.resolve(MARKER))) {
      throw new UsageException("no run in " + path + " to continue");
    }
    return new RunFolder(path.toAbsolutePath().normalize());
  }

  private void requireReplaceable() throws IOException {
    if (!Files.isDirectory(path)) {
      throw new UsageException(path + " is a file; name another folder with --run");
    }
    try (Stream<Path> entries = Files.list(path)) {
      List<Path> names = entries.toList();
      if (!names.isEmpty() && !Files.exists(path.resolve(MARKER))) {
        throw new UsageException(path + " holds other files; name another folder with --run");
      }
    }
  }

  /** Removes what was being written when a run was stopped. */
  void deletePending() {
    try (Stream<Path> walk = Files.walk(path)) {
      List<Path> pending =
          walk.filter(each -> each.getFileName().toString().endsWith(PENDING)).toList();
      for (Path each : pending) {
        FileTrees.delete(each);
      }
    } catch (IOException e) {
      throw FileErrors.failure("clean up", path, e);
    }
  }
}
