package dev.tandem.nn.yaml;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what was meant by a misspelled word. */
final class Spelling {

  private Spelling() {}

  /** The known word that is closest, if at most this many of its letters are wrong. */
  static Optional<String> nearest(String word, Collection<String> known, int most) {
    return known.stream()
        .sorted()
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
        .filter(found -> distance(word, found) <= Math.max(1, most));
  }

  /** Letters to insert, delete or replace, by Levenshtein. */
  static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int column = 0; column < row.length; column++) {
      row[column] = column;
    }
    for (int i = 0; i < from.length(); i++) {
      int diagonal = row[0];
      row[0] = i + 1;
      for (int j = 0; j < to.length(); j++) {
        int replaced = diagonal + (from.charAt(i) == to.charAt(j) ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = Math.min(replaced, 1 + Math.min(row[j], diagonal));
      }
    }
    return row[to.length()];
  }
}
