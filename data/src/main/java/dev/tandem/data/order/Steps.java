package dev.tandem.data.order;

import dev.tandem.core.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How steps cut the global order. Ranks do not appear here: a step is the same whatever number of
 * ranks share it, and that number may differ from step to step. Immutable.
 *
 * @param globalBatch samples of a step over all ranks
 */
public record Steps(SampleOrder order, int globalBatch, EpochEnd epochEnd) {

  private static final Pattern SAVED = Pattern.compile("step=(\\d+) sample=(\\d+) (order=.*)");

  public Steps {
    if (globalBatch <= 0) {
      throw new IllegalArgumentException("a step needs at least one sample, not " + globalBatch);
    }
  }

  /** The step that begins at a position. */
  public Step at(Position position) {
    return switch (epochEnd) {
      case CIRCULAR -> new Step(position, globalBatch);
      case EXACT -> {
        long left = order.size() - order.placeOf(position.sample());
        yield new Step(position, (int) Math.min(globalBatch, left));
      }
    };
  }

  /** Where a step of a run with this batch begins, in constant time. */
  public Position position(long step) {
    return switch (epochEnd) {
      case CIRCULAR -> new Position(step, step * globalBatch);
      case EXACT -> {
        long perEpoch = stepsFor(1);
        yield new Position(
            step, step / perEpoch * order.size() + step % perEpoch * (long) globalBatch);
      }
    };
  }

  /** Steps of this many epochs; circular ones may go beyond them. */
  public long stepsFor(long epochs) {
    return switch (epochEnd) {
      case CIRCULAR -> Math.ceilDiv(epochs * order.size(), (long) globalBatch);
      case EXACT -> epochs * Math.ceilDiv(order.size(), (long) globalBatch);
    };
  }

  /** Samples of the largest step, over all ranks. */
  public int largestStep() {
    return switch (epochEnd) {
      case CIRCULAR -> globalBatch;
      case EXACT -> (int) Math.min(globalBatch, order.size());
    };
  }

  /** The position as a line for a checkpoint, with what the order depends on. */
  public String save(Position position) {
    return "step=" + position.step() + " sample=" + position.sample() + " " + fingerprint();
  }

  /** Reads what {@link #save} gave; refuses a position in another order. */
  public Position restore(String saved) {
    Matcher matcher = SAVED.matcher(saved);
    if (!matcher.matches()) {
      throw new UsageException("'" + saved + "' is no saved position of a loader");
    }
    if (!matcher.group(3).equals(fingerprint())) {
      throw new UsageException(
          "the saved position belongs to another order of samples (%s) than this run's (%s): use the same data, seed and shuffling"
              .formatted(matcher.group(3), fingerprint()));
    }
    return new Position(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
  }

  /** The batch is left out: it may change during a run. */
  private String fingerprint() {
    return "order=seed:%d,records:%d,shuffle:%s"
        .formatted(order.seed().value(), order.size(), order.shuffle());
  }
}
