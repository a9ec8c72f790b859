package dev.tandem.data.load;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Steps;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Gives one rank's batches of steps, read and decoded ahead of the consumer within bounded memory.
 * It starts at any position and reads nothing before it; what a batch holds depends on the steps,
 * the preparation, the rank and the number of ranks alone, never on threads or timing.
 *
 * <p>One consumer thread calls {@link #next()}; a batch is valid until the following call. A
 * failure of any thread comes out of {@code next()}, after all batches that come before it, and
 * again from every later call. Closing ends the threads and frees the batches; the source stays the
 * caller's.
 */
public final class Loader implements BatchSource {

  private static final int REMEMBERED = 100;

  private final Function<Plan, Feed> feeds;
  private final RecordPreparation preparation;
  private final LoaderOptions options;
  private final StageMeter meter = new StageMeter();
  private final List<BadRecord> bad = new ArrayList<>();
  private Plan plan;
  private Pipeline pipeline;
  private StepWork lent;
  private Position position;
  private long given;
  private long skipped;
  private TandemException failure;

  /** A loader of the plan's part of these steps. */
  public Loader(
      RecordSource source,
      Steps steps,
      RecordPreparation preparation,
      Plan plan,
      LoaderOptions options) {
    this(feeds(source, steps, preparation), preparation, plan, options);
  }

  private static Function<Plan, Feed> feeds(
      RecordSource source, Steps steps, RecordPreparation preparation) {
    if (source.size() != steps.order().size()) {
      throw new IllegalArgumentException(
          "an order of %d samples for a source of %d"
              .formatted(steps.order().size(), source.size()));
    }
    return plan -> new OrderedFeed(source, steps, plan, preparation.values());
  }

  /**
   * A loader over other feeds than the plain order.
   *
   * @param feeds makes the feed of a plan; called again when the ranks change
   */
  public Loader(
      Function<Plan, Feed> feeds, RecordPreparation preparation, Plan plan, LoaderOptions options) {
    this.feeds = feeds;
    this.preparation = preparation;
    this.options = options;
    begin(plan);
  }

  private void begin(Plan newPlan) {
    plan = newPlan;
    position = newPlan.from();
    given = 0;
    pipeline =
        new Pipeline(feeds.apply(newPlan), preparation, options, meter, "loader-" + newPlan.rank());
  }

  /** Whether there is another step. */
  @Override
  public boolean hasNext() {
    return given < plan.steps();
  }

  /** The next step's batch; after the last step a {@link NoSuchElementException}. */
  @Override
  public Batch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the loader ends after step " + position.step());
    }
    if (failure != null) {
      throw failure;
    }
    giveBack();
    try {
      lent = pipeline.take(given);
      account(lent);
      given++;
      position = lent.samples().step().next();
      return batch(lent);
    } catch (TandemException e) {
      failure = e;
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while waiting for step " + position.step(), e);
    }
  }

  private void giveBack() {
    if (lent != null) {
      pipeline.release(lent);
      lent = null;
    }
  }

  private void account(StepWork work) {
    if (work.failure() != null) {
      throw work.failure();
    }
    for (BadRecord record : work.bad().values()) {
      skipped++;
      if (bad.size() < REMEMBERED) {
        bad.add(record);
      }
      switch (options.badRecords()) {
        case BadRecords.Fatal fatal ->
            throw new WorkFailedException(
                record
                    + "; repair or remove it, or set data.skip-bad-records to the number of records"
                    + " that may be left out");
        case BadRecords.Skip(long most) -> {
          if (skipped > most) {
            throw new WorkFailedException(
                "%d bad records, where %d may be skipped; the last is %s"
                    .formatted(skipped, most, record));
          }
        }
      }
    }
  }

  private Batch batch(StepWork work) {
    Slot slot = work.slot();
    int missing = work.bad().size();
    int count = work.samples().count() - missing;
    return new Batch(
        work.samples().step().position(),
        slot.images().asSlice(0, count * slot.imageBytes()),
        slot.labels().asSlice(0, count * slot.labelBytes()),
        count,
        work.samples().step().count(),
        missing);
  }

  /** Where the next batch begins: what a checkpoint saves. */
  @Override
  public Position position() {
    return position;
  }

  /**
   * Goes on as another rank or among another number of ranks, from the next step on. The global
   * order stays; what was read ahead is dropped.
   */
  public void reshard(int rank, int ranks) {
    lent = null;
    pipeline.close();
    begin(plan.among(rank, ranks, position, plan.steps() - given));
  }

  /** Batches that are ready: if there is none, the consumer waits for the loader. */
  @Override
  public int ready() {
    return pipeline.finished();
  }

  /** How many records were left out so far, in the batches given. */
  public long skipped() {
    return skipped;
  }

  /** The first hundred records that were bad, in the order of the batches. */
  public List<BadRecord> badRecords() {
    return Collections.unmodifiableList(bad);
  }

  /** Where the time went so far, over all ranks that this loader has been. */
  @Override
  public StallReport stalls() {
    return meter.report();
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
