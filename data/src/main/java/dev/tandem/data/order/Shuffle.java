package dev.tandem.data.order;

import dev.tandem.core.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the samples of an epoch are put in order. All kinds are computed in constant time and memory
 * for any place; every epoch has an order of its own.
 */
public sealed interface Shuffle {

  /** As the source has them, in every epoch. */
  record None() implements Shuffle {
    @Override
    public String toString() {
      return "none";
    }
  }

  /**
   * One pseudo-random permutation of the whole epoch: any sample may come at any place. Records are
   * read in random order.
   */
  record ByIndex() implements Shuffle {
    @Override
    public String toString() {
      return "index";
    }
  }

  /**
   * Blocks of consecutive records are permuted, then the samples within every window of places. A
   * source reads whole blocks one after the other while the samples of a window are shuffled in
   * memory.
   *
   * <p>Randomness: a block may come anywhere in the epoch; a sample comes less than {@code window}
   * places before or after where its permuted block has it. So two neighbours of a block come less
   * than {@code 2 * window} places apart, where under {@link ByIndex} they may come any distance
   * apart. With one block for everything ({@code block} not below the number of records) no sample
   * moves {@code window} places or more.
   *
   * @param window samples that are shuffled together
   * @param block consecutive records that stay together when blocks are permuted
   */
  record ByWindow(long window, long block) implements Shuffle {

    public ByWindow {
      if (window < 1 || block < 1) {
        throw new UsageException(
            "shuffling by windows of %d samples and blocks of %d: both must be positive"
                .formatted(window, block));
      }
    }

    @Override
    public String toString() {
      return "window:" + window + ":" + block;
    }
  }

  Shuffle NONE = new None();
  Shuffle BY_INDEX = new ByIndex();

  /**
   * Reads {@code none}, {@code index} or {@code window:SAMPLES:BLOCK}, as they print themselves.
   */
  static Shuffle parse(String text) {
    Matcher window = Pattern.compile("window:([0-9]{1,18}):([0-9]{1,18})").matcher(text);
    if (window.matches()) {
      return new ByWindow(Long.parseLong(window.group(1)), Long.parseLong(window.group(2)));
    }
    return switch (text) {
      case "none" -> NONE;
      case "index" -> BY_INDEX;
      default ->
          throw new UsageException(
              "shuffle '" + text + "': expected none, index or window:SAMPLES:BLOCK");
    };
  }
}
