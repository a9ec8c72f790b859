package dev.tandem.data.load;

import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.EpochOrder;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A rank's shares of the steps, as the order has them, read from a source. Steps are read together
 * until they make a request worth its overhead, or, if samples are shuffled within windows, until
 * the window ends, so that the source can read it front to back.
 */
final class OrderedFeed implements Feed {

  private final RecordSource source;
  private final Steps steps;
  private final SampleOrder order;
  private final Plan plan;
  private final AtomicLong recordBytes;
  private Position position;

  /** Begins with a step and doubles, so that the first batch is soon there. */
  private long readTogether = 1;

  private long stepsLeft;
  private long epoch = -1;
  private EpochOrder epochOrder;

  /**
   * A feed from the plan's beginning on.
   *
   * @param guessedBytes of a record, until the first were read
   */
  OrderedFeed(RecordSource source, Steps steps, Plan plan, long guessedBytes) {
    this.source = source;
    this.steps = steps;
    this.order = steps.order();
    this.plan = plan;
    this.recordBytes = new AtomicLong(guessedBytes);
    this.position = plan.from();
    this.stepsLeft = plan.steps();
  }

  @Override
  public int largestShare() {
    return plan.largestShare(steps.largestStep());
  }

  @Override
  public Optional<Fetch> next(long mostBytes) {
    if (stepsLeft == 0) {
      return Optional.empty();
    }
    List<StepSamples> taken = new ArrayList<>();
    long first = position.sample();
    long bytes = 0;
    long stepBytes;
    do {
      StepSamples samples = samples(steps.at(position));
      taken.add(samples);
      stepBytes = samples.count() * recordBytes.get();
      bytes += stepBytes;
      position = samples.step().next();
      stepsLeft--;
    } while (stepsLeft > 0
        && bytes + stepBytes <= mostBytes
        && belongsTogether(first, bytes + stepBytes));
    readTogether = Math.min(source.fetchBytes(), 2 * Math.max(readTogether, bytes));
    return Optional.of(new SourceFetch(taken, bytes));
  }

  private boolean belongsTogether(long first, long bytes) {
    return switch (order.shuffle()) {
      case Shuffle.ByWindow(long window, long block) ->
          order.epochOf(first) == order.epochOf(position.sample())
              && order.placeOf(first) / window == order.placeOf(position.sample()) / window;
      case Shuffle.None none -> bytes <= readTogether;
      case Shuffle.ByIndex byIndex -> bytes <= readTogether;
    };
  }

  private StepSamples samples(Step step) {
    Step.Share share = plan.share(step);
    long[] ordinals = new long[share.count()];
    long[] epochs = new long[share.count()];
    for (int i = 0; i < ordinals.length; i++) {
      long sample = share.from() + i;
      epochs[i] = order.epochOf(sample);
      if (epochs[i] != epoch) {
        epoch = epochs[i];
        epochOrder = order.epoch(epoch);
      }
      ordinals[i] = epochOrder.ordinal(order.placeOf(sample));
    }
    return new StepSamples(step, ordinals, epochs);
  }

  @Override
  public void close() {
    // Nothing here waits for anybody.
  }

  private final class SourceFetch implements Fetch {

    private final List<StepSamples> taken;
    private final long expectedBytes;

    SourceFetch(List<StepSamples> taken, long expectedBytes) {
      this.taken = taken;
      this.expectedBytes = expectedBytes;
    }

    @Override
    public List<StepSamples> steps() {
      return taken;
    }

    @Override
    public long expectedBytes() {
      return expectedBytes;
    }

    @Override
    public RecordBlock read() {
      long[] ordinals = new long[taken.stream().mapToInt(StepSamples::count).sum()];
      int at = 0;
      for (StepSamples samples : taken) {
        for (int i = 0; i < samples.count(); i++) {
          ordinals[at++] = samples.ordinal(i);
        }
      }
      RecordBlock block = source.fetch(ordinals);
      if (ordinals.length > 0) {
        recordBytes.set(Math.max(1, block.record(0).value().byteSize()));
      }
      return block;
    }
  }
}
