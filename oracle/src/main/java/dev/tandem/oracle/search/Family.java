package dev.tandem.oracle.search;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.rule.Space;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What kind of strategy a candidate is, whatever its sizes: {@code serial}, {@code data}, {@code
 * data+filter}, {@code pipeline+sharded}, ...
 *
 * @param words sorted as meshes are
 */
public record Family(List<String> words) {

  /** One device alone. */
  public static final String SERIAL = "serial";

  /** Parts of space. */
  public static final String SPATIAL = "spatial";

  /** Layers work in different ways along the inner axis. */
  public static final String MIXTURE = "mixture";

  private static final List<String> ORDER =
      List.of(
          SERIAL,
          Mesh.PIPELINE,
          Mesh.DATA,
          StrategyText.SHARDED,
          SPATIAL,
          "filter",
          "channel",
          "alternate",
          MIXTURE);

  public Family {
    words = words.stream().sorted((a, b) -> ORDER.indexOf(a) - ORDER.indexOf(b)).toList();
  }

  /** Of a candidate. */
  public static Family of(Candidate candidate) {
    Set<String> words = new TreeSet<>();
    for (Mesh.Axis axis : candidate.mesh().axes()) {
      if (axis.size() > 1) {
        words.add(
            Space.NAMES.contains(axis.name())
                ? SPATIAL
                : axis.name().equals(Mesh.DATA) && candidate.shard().isPresent()
                    ? StrategyText.SHARDED
                    : axis.name());
      }
    }
    if (!candidate.strategy().layers().isEmpty()) {
      words.add(MIXTURE);
    }
    return new Family(words.isEmpty() ? List.of(SERIAL) : List.copyOf(words));
  }

  /** What a user wrote, such as {@code data+filter}. */
  public static Family parse(String text) {
    List<String> words = Arrays.stream(text.split("\\+", -1)).map(String::strip).toList();
    for (String word : words) {
      if (!ORDER.contains(word)) {
        throw new UsageException(
            "strategy '%s': unknown word '%s', expected one of %s, or several such as data+filter%s"
                .formatted(text, word, String.join(", ", ORDER), Spelling.question(word, ORDER)));
      }
    }
    return new Family(new ArrayList<>(new TreeSet<>(words)));
  }

  /** As it is written. */
  @Override
  public String toString() {
    return String.join("+", words);
  }
}
