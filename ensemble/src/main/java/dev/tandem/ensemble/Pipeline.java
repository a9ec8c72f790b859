package dev.tandem.ensemble;

import dev.tandem.core.UsageException;
import java.util.Locale;

/** Which processes of an ensemble prepare its samples. */
public sealed interface Pipeline {

  /** Every member prepares all samples for itself: the baseline, nothing is shared. */
  record Duplicated() implements Pipeline {}

  /** Every member prepares its part, and all take all: p = n. */
  record AllShared() implements Pipeline {}

  /**
   * Some processes prepare samples for one another; the last of them sends all to the members.
   *
   * @param preprocessors how many, p
   */
  record SingleBroadcast(int preprocessors) implements Pipeline {

    public SingleBroadcast {
      check(preprocessors);
    }
  }

  /**
   * Some processes prepare a fixed part each, and each sends its own to all members.
   *
   * @param preprocessors how many, p
   */
  record MultiBroadcast(int preprocessors) implements Pipeline {

    public MultiBroadcast {
      check(preprocessors);
    }
  }

  /** One of the others, chosen from measured rates and chosen again while members train. */
  record Adaptive() implements Pipeline {}

  /** The word for it in configurations. */
  default String word() {
    return switch (this) {
      case Duplicated _ -> "duplicated";
      case AllShared _ -> "all-shared";
      case SingleBroadcast _ -> "single-broadcast";
      case MultiBroadcast _ -> "multi-broadcast";
      case Adaptive _ -> "adaptive";
    };
  }

  /** Its processes that prepare samples and do nothing else. */
  default int ownPreprocessors() {
    return switch (this) {
      case SingleBroadcast(int p) -> p;
      case MultiBroadcast(int p) -> p;
      case Duplicated _, AllShared _, Adaptive _ -> 0;
    };
  }

  /**
   * The pipeline of a word.
   *
   * @param preprocessors for those that have some of their own
   */
  static Pipeline of(String word, int preprocessors) {
    return switch (word.strip().toLowerCase(Locale.ROOT)) {
      case "duplicated" -> new Duplicated();
      case "all-shared" -> new AllShared();
      case "single-broadcast" -> new SingleBroadcast(preprocessors);
      case "multi-broadcast" -> new MultiBroadcast(preprocessors);
      case "adaptive" -> new Adaptive();
      default ->
          throw new UsageException(
              "pipeline is %s, expected duplicated, all-shared, single-broadcast, multi-broadcast or adaptive"
                  .formatted(word));
    };
  }

  private static void check(int preprocessors) {
    if (preprocessors < 1) {
      throw new UsageException("preprocessors is %d, expected at least 1".formatted(preprocessors));
    }
  }
}
