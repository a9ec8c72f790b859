package dev.tandem.nn.yaml;

import static dev.tandem.nn.yaml.KeyException.join;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds which key the message of a record's constructor is about. */
final class MentionedKey {

  /** What may be a key, perhaps with the keys around it. */
  static final Pattern KEY = Pattern.compile("[a-z][a-z0-9-]*(\\.[a-z][a-z0-9-]*)*");

  private MentionedKey() {}

  /**
   * The same message, from the root of the document. It is about the first of the keys it names
   * that is written there: one that is left out has its default.
   *
   * @param path of the value that could not be made
   * @param owner the record, if it is one
   * @param written the whole document
   */
  static KeyException explained(
      String message, String path, Optional<Class<?>> owner, JsonNode written) {
    Map<String, ?> known = owner.<Map<String, ?>>map(RecordKeys::of).orElse(Map.of());
    List<MatchResult> named =
        KEY.matcher(message)
            .results()
            .filter(found -> known.containsKey(found.group().split("\\.", 2)[0]))
            .toList();
    boolean leads = !named.isEmpty() && named.getFirst().start() == 0;
    String key =
        named.stream()
            .map(found -> join(path, found.group()))
            .filter(found -> !at(written, found).isMissingNode())
            .findFirst()
            .orElse(leads ? join(path, named.getFirst().group()) : path);
    return new KeyException(
        key, leads ? join(path, message) : path.isEmpty() ? message : path + ": " + message);
  }

  /** The value of a key; missing if there is none. */
  static JsonNode at(JsonNode root, String key) {
    return key.isEmpty()
        ? root
        : root.at("/" + key.replace('.', '/').replace("[", "/").replace("]", ""));
  }
}
