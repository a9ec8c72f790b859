package dev.tandem.ensemble.combine;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** How the answers of members become one. */
public enum CombineMethod {
  /** The mean of probabilities, or of values. */
  AVERAGE,
  /** The mean, weighted by the members' accuracies on held-out samples. */
  WEIGHTED_ACCURACY,
  /** The mean, weighted by the members' losses on held-out samples, or squared errors. */
  WEIGHTED_LOSS,
  /** The class that most members name. */
  MAJORITY,
  /** A logistic regression on the members' answers for held-out samples. */
  STACKING;

  /** The most classes with which a combiner is trained: it has members x classes x classes. */
  static final int MOST_STACKED_CLASSES = 128;

  /** The word for it on the command line and in files. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it has numbers that held-out samples decide. */
  public boolean fitted() {
    return this != AVERAGE && this != MAJORITY;
  }

  /**
   * Those that go with what members answer.
   *
   * @param width numbers that each answers
   */
  public static List<CombineMethod> suitable(boolean regression, int width) {
    if (regression) {
      return List.of(AVERAGE, WEIGHTED_LOSS);
    }
    return Arrays.stream(values())
        .filter(method -> method != STACKING || width <= MOST_STACKED_CLASSES)
        .toList();
  }

  /** The method of a word. */
  public static CombineMethod of(String code) {
    return Arrays.stream(values())
        .filter(method -> method.code().equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--combine is %s, expected %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(CombineMethod::code)
                                .collect(Collectors.joining(", ")))));
  }
}
