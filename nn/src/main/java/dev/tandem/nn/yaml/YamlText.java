package dev.tandem.nn.yaml;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** A text in YAML: its tree, and the line of each key. Immutable. */
public final class YamlText implements KeyPlaces {

  private static final YAMLMapper MAPPER = new YAMLMapper(new YAMLFactory());

  private final String name;
  private final JsonNode tree;
  private final Map<String, Integer> lines;

  private YamlText(String name, JsonNode tree, Map<String, Integer> lines) {
    this.name = name;
    this.tree = tree;
    this.lines = lines;
  }

  /**
   * Reads a text.
   *
   * @param name what messages call it
   * @throws UsageException one line with the name, the line and what is wrong there: the text is
   *     not YAML, or says a key twice
   */
  public static YamlText parse(String name, String text) {
    try {
      Map<String, Integer> lines = lines(name, text);
      JsonNode tree = MAPPER.readTree(text);
      return new YamlText(name, tree == null ? MissingNode.getInstance() : tree, lines);
    } catch (JsonProcessingException e) {
      throw new UsageException(syntax(name, e));
    } catch (IOException e) {
      throw new IllegalStateException(e); // a text in memory
    }
  }

  /** The keys and values; missing if the text is empty. */
  public JsonNode tree() {
    return tree;
  }

  @Override
  public String document() {
    return name;
  }

  @Override
  public Optional<String> of(String key) {
    String pointer = "/" + key.replace('.', '/').replace("[", "/").replace("]", "");
    return Optional.ofNullable(lines.get(pointer)).map(line -> name + ":" + line);
  }

  private static Map<String, Integer> lines(String name, String text) throws IOException {
    Map<String, Integer> lines = new HashMap<>();
    try (JsonParser parser = MAPPER.createParser(text)) {
      while (parser.nextToken() != null) {
        String pointer = parser.getParsingContext().pathAsPointer().toString();
        int line = parser.currentTokenLocation().getLineNr();
        Integer first = lines.putIfAbsent(pointer, line);
        if (first != null && parser.currentToken() == JsonToken.FIELD_NAME) {
          throw new UsageException(
              "%s:%d: duplicate key '%s', which is also in line %d: remove one of them"
                  .formatted(name, line, key(pointer), first));
        }
      }
    }
    return lines;
  }

  private static String key(String pointer) {
    return pointer.substring(1).replaceAll("/([0-9]+)", "[$1]").replace('/', '.');
  }

  /** SnakeYAML says what it was doing, where, what the problem is, and where that is. */
  private static String syntax(String name, JsonProcessingException e) {
    if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
      Mark at = marked.getProblemMark();
      Mark from = marked.getContextMark();
      String context =
          marked.getContext() == null
              ? ""
              : " %s%s"
                  .formatted(
                      marked.getContext(),
                      from == null || from.getLine() == at.getLine()
                          ? ""
                          : " that begins in line " + (from.getLine() + 1));
      return "%s:%d: %s in column %d%s"
          .formatted(name, at.getLine() + 1, marked.getProblem(), at.getColumn() + 1, context);
    }
    String where = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
    return name + where + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML");
  }
}
