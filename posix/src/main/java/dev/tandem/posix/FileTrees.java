package dev.tandem.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Whole folders at once. */
public final class FileTrees {

  private FileTrees() {}

  /** Removes a file or a folder with all that is in it; a missing one is no error. */
  public static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(path)) {
      for (Path each : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw FileErrors.failure("delete", path, e);
    }
  }
}
