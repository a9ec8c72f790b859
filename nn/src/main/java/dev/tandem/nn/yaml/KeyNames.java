package dev.tandem.nn.yaml;

import static dev.tandem.nn.yaml.KeyException.join;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds the key that was meant by one that is unknown. */
final class KeyNames {

  private final Map<String, String> elsewhere;
  private final Predicate<Class<?>> section;

  /**
   * Suggestions.
   *
   * @param elsewhere the key that is meant by a name which is none, or none any more
   * @param section whether a type is a mapping whose keys are known
   */
  KeyNames(Map<String, String> elsewhere, Predicate<Class<?>> section) {
    this.elsewhere = elsewhere;
    this.section = section;
  }

  /**
   * What to say of an unknown key.
   *
   * @param root the record that the whole document is
   * @param path of the mapping in which the key is
   * @param known the keys of that mapping
   */
  KeyException unknown(Class<?> root, String path, String key, Collection<String> known) {
    String full = join(path, key);
    String meant =
        foreign(full)
            .or(() -> Spelling.nearest(key, known).map(word -> join(path, word)))
            .or(() -> misspelledForeign(path, key))
            .or(() -> otherLevel(root, key))
            .map(Spelling::question)
            .orElseGet(
                () -> "; known here: " + String.join(", ", known.stream().sorted().toList()));
    return new KeyException(full, "unknown key '%s'%s".formatted(full, meant));
  }

  /** What other programs, or earlier versions, call it. */
  private Optional<String> foreign(String full) {
    return Optional.ofNullable(elsewhere.get(Spelling.kebab(full)));
  }

  private Optional<String> misspelledForeign(String path, String key) {
    String prefix = path.isEmpty() ? "" : path + ".";
    List<String> words =
        elsewhere.keySet().stream()
            .filter(word -> word.startsWith(prefix) && word.indexOf('.', prefix.length()) < 0)
            .map(word -> word.substring(prefix.length()))
            .toList();
    return Spelling.nearest(key, words).map(word -> elsewhere.get(prefix + word));
  }

  /** A key that is right, but in another section, and there is one such section only. */
  private Optional<String> otherLevel(Class<?> root, String key) {
    String wanted = Spelling.kebab(key);
    List<String> found = new ArrayList<>();
    for (String path : RecordKeys.paths(root, section)) {
      if (path.substring(path.lastIndexOf('.') + 1).equals(wanted)) {
        found.add(path);
      }
    }
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }
}
