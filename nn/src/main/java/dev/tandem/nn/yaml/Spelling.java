package dev.tandem.nn.yaml;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what was meant by a misspelled word. */
public final class Spelling {

  /** Letters that may be wrong. */
  private static final int MOST = 2;

  private Spelling() {}

  /** A question to add to a message about an unknown word; empty if no known one is close. */
  public static String question(String word, Collection<String> known) {
    return nearest(word, known).map(Spelling::question).orElse("");
  }

  static String question(String meant) {
    return "; did you mean '%s'?".formatted(meant);
  }

  /**
   * The known word that is closest, if at most two of its letters are wrong, and of a short one at
   * most one. Capitals, and underscores for hyphens, do not count.
   */
  static Optional<String> nearest(String word, Collection<String> known) {
    String kebab = kebab(word);
    return known.stream()
        .sorted()
        .min(Comparator.comparingInt(candidate -> distance(kebab, kebab(candidate))))
        .filter(
            found ->
                distance(kebab, kebab(found))
                    <= Math.min(MOST, Math.max(1, Math.min(kebab.length(), found.length()) / 3)));
  }

  /** As keys are written: {@code batchSize} and {@code batch_size} are {@code batch-size}. */
  static String kebab(String word) {
    return word.replaceAll("(\\p{Ll})(\\p{Lu})", "$1-$2")
        .toLowerCase(Locale.ROOT)
        .replace('_', '-')
        .replace(' ', '-');
  }

  /** Letters to insert, delete or replace, or neighbours to swap, by Damerau. */
  static int distance(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int same = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        cost[i][j] =
            Math.min(cost[i - 1][j - 1] + same, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[from.length()][to.length()];
  }
}
