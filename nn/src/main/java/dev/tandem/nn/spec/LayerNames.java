package dev.tandem.nn.spec;

import dev.tandem.core.UsageException;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Picks layers of a network by what a user wrote. */
public final class LayerNames {

  private static final int SUGGESTIONS = 3;

  private LayerNames() {}

  /**
   * The layers that one pattern or more means, in the network's order. A pattern is a layer's name;
   * or, if no layer has it, the beginning of names up to a dot ({@code layer1} means {@code
   * layer1.0.conv1}); or a name in which {@code *} stands for any letters and {@code ?} for one.
   *
   * @throws UsageException if a pattern means no layer; the message names it and similar names
   */
  public static Set<String> matching(NetworkSpec network, List<String> patterns) {
    List<String> names = network.nodes().stream().map(NetworkSpec.Node::name).toList();
    Set<String> wanted = new LinkedHashSet<>();
    for (String pattern : patterns) {
      List<String> found =
          names.contains(pattern)
              ? List.of(pattern)
              : names.stream().filter(name -> means(pattern, name)).toList();
      if (found.isEmpty()) {
        throw new UsageException(
            "no layer is named '%s'; similar names: %s"
                .formatted(pattern, String.join(", ", similar(pattern, names))));
      }
      wanted.addAll(found);
    }
    Set<String> ordered = new LinkedHashSet<>(names);
    ordered.retainAll(wanted);
    return Collections.unmodifiableSet(ordered);
  }

  /** The names that differ least from a word, the nearest first. */
  public static List<String> similar(String word, List<String> names) {
    return names.stream()
        .sorted(Comparator.comparingInt(name -> distance(word, name)))
        .limit(SUGGESTIONS)
        .toList();
  }

  private static boolean means(String pattern, String name) {
    if (name.startsWith(pattern + ".")) {
      return true;
    }
    StringBuilder expression = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      switch (pattern.charAt(i)) {
        case '*' -> expression.append(".*");
        case '?' -> expression.append('.');
        default -> expression.append(Pattern.quote(pattern.substring(i, i + 1)));
      }
    }
    return Pattern.matches(expression.toString(), name);
  }

  /** Letters to insert, remove or replace until one word is the other (Levenshtein). */
  private static int distance(String left, String right) {
    int[] row = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int replaced = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}
