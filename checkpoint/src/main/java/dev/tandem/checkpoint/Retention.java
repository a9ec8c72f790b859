package dev.tandem.checkpoint;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which checkpoints are kept; the newest always is.
 *
 * @param last how many of the newest; at least 1
 * @param every those whose step is a multiple of it; 0 for none
 * @param best the best by one of the values saved with them, if any has it
 */
public record Retention(int last, long every, Optional<Best> best) {

  /** Nothing is ever removed. */
  public static final Retention ALL = new Retention(Integer.MAX_VALUE, 0, Optional.empty());

  /**
   * By what a checkpoint is better than another; of equals the newer is.
   *
   * @param value name of a saved value that is a number
   * @param highest the highest is best, not the lowest
   */
  public record Best(String value, boolean highest) {}

  public Retention {
    if (last < 1 || every < 0) {
      throw new IllegalArgumentException("keep at least the last one, and not every " + every);
    }
  }

  /** The N newest. */
  public static Retention last(int count) {
    return new Retention(count, 0, Optional.empty());
  }

  /**
   * The steps to keep.
   *
   * @param saved the values of all checkpoints, by step
   */
  List<Long> kept(SortedMap<Long, Map<String, String>> saved) {
    TreeMap<Long, Map<String, String>> all = new TreeMap<>(saved);
    TreeSet<Long> kept = new TreeSet<>();
    SequencedMap<Long, Map<String, String>> newest = all.reversed();
    newest.keySet().stream().limit(last).forEach(kept::add);
    if (every > 0) {
      all.keySet().stream().filter(step -> step % every == 0).forEach(kept::add);
    }
    best.flatMap(by -> bestOf(all, by)).ifPresent(kept::add);
    return List.copyOf(kept);
  }

  private static Optional<Long> bestOf(SortedMap<Long, Map<String, String>> saved, Best by) {
    Comparator<Map.Entry<Long, Double>> order = Map.Entry.comparingByValue();
    return saved.entrySet().stream()
        .flatMap(
            e -> number(e.getValue().get(by.value())).map(n -> Map.entry(e.getKey(), n)).stream())
        .max((by.highest() ? order : order.reversed()).thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey);
  }

  private static Optional<Double> number(String text) {
    try {
      return text == null
          ? Optional.empty()
          : Optional.of(Double.valueOf(text)).filter(number -> !number.isNaN());
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
