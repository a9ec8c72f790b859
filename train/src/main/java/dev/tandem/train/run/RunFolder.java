package dev.tandem.train.run;

import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of one run. A new run takes the place of an older one of the same kind, which a marker
 * file identifies; a folder with anything else in it is never touched.
 */
public record RunFolder(Path path) {

  private static final String MARKER = ".tandem-run";
  private static final String PENDING = ".pending";

  /** Makes the folder, empty but for its marker. */
  public static RunFolder create(Path path) {
    RunFolder run = new RunFolder(path.toAbsolutePath().normalize());
    try {
      if (Files.exists(run.path)) {
        run.requireReplaceable();
        RunLock.take(run.path).close(); // refuses one that is in use
        FileTrees.delete(run.path);
      }
      return make(run.path).orElseThrow(() -> taken(run.path));
    } catch (IOException e) {
      throw FileErrors.failure("make the run folder", run.path, e);
    }
  }

  /** Makes a folder that is not there, in one step: of two processes one gets it. */
  public static Optional<RunFolder> make(Path path) {
    Path folder = path.toAbsolutePath().normalize();
    try {
      DurableFiles.system().createFolders(folder.getParent());
      Files.createDirectory(folder);
      Files.createFile(folder.resolve(MARKER));
      return Optional.of(new RunFolder(folder));
    } catch (FileAlreadyExistsException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileErrors.failure("make the run folder", folder, e);
    }
  }

  private static UsageException taken(Path path) {
    return new UsageException(
        shown(path) + " exists already: continue it with --resume or choose another --name");
  }

  /** A path as a person would write it: relative where it is below the working directory. */
  public static Path shown(Path path) {
    Path here = Path.of("").toAbsolutePath();
    Path whole = path.toAbsolutePath().normalize();
    return whole.startsWith(here) && !whole.equals(here) ? here.relativize(whole) : whole;
  }

  /** The folder of a run of this name below another; refuses what is not one name. */
  public static Path named(Path runs, String name) {
    if (name.isBlank() || name.equals(".") || name.equals("..") || name.contains("/")) {
      throw new UsageException(
          "--name is '%s', expected a name without '/'; --runs sets the folder".formatted(name));
    }
    return runs.resolve(name);
  }

  /** Makes the folder of a new run; one that is there already is left alone. */
  public static RunFolder fresh(Path path) {
    return make(path).orElseThrow(() -> taken(path));
  }

  /** Makes the folder of a new run below another: of this name, or of the first that is free. */
  public static RunFolder numbered(Path runs, String name) {
    Optional<RunFolder> made = make(runs.resolve(name));
    for (int number = 2; made.isEmpty(); number++) {
      made = make(runs.resolve(name + "-" + number));
    }
    return made.get();
  }

  /** The newest of the runs that {@link #numbered} made. */
  public static RunFolder newest(Path runs, String name) {
    Path path = runs.resolve(name);
    for (int number = 2; Files.exists(runs.resolve(name + "-" + number)); number++) {
      path = runs.resolve(name + "-" + number);
    }
    return existing(path);
  }

  /** The folder of a run that is there. */
  public static RunFolder existing(Path path) {
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
  public void deletePending() {
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
