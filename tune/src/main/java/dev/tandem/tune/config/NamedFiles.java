package dev.tandem.tune.config;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds the files that a configuration names: beside it, or from the working directory.
 *
 * @param configuration its file
 */
record NamedFiles(Path configuration) {

  /** The file of this name, whether it is there or not. */
  Path file(String name) {
    Path here = configuration.toAbsolutePath().resolveSibling(name);
    return Files.exists(here) ? here : Path.of(name).toAbsolutePath();
  }

  /**
   * A word of a program. It runs in a folder of its own: words that name files are made to name
   * them from there.
   */
  String word(String word) {
    if (word.isEmpty()
        || word.startsWith("-")
        || word.contains("{")
        || Path.of(word).isAbsolute()) {
      return word;
    }
    boolean path = word.contains("/") || word.contains(".");
    Path there = configuration.toAbsolutePath().resolveSibling(word);
    if (path && Files.exists(there)) {
      return there.normalize().toString();
    }
    Path here = Path.of(word).toAbsolutePath();
    return path && Files.exists(here) ? here.normalize().toString() : word;
  }
}
