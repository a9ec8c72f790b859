package dev.tandem.data.share;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import dev.tandem.data.share.RingReader.Outcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * One consumer's batches of samples that are shared. As a {@link dev.tandem.data.load.Loader} over
 * the same order would give them, if consumers go through it together; else each pass of its own
 * has every record once, in an order that depends on the speed of all. One consumer thread; a batch
 * is valid until the following call.
 */
public final class SharedLoader implements BatchSource {

  /** A queue that fills this part of the window is about to hold others up. */
  private static final double FULL = 0.9;

  /** Batches may be taken ahead of their use. */
  private static final int KEPT = 4;

  private final Map<Long, String> kept = new HashMap<>();
  private final SampleRing ring;
  private final RingReader reader;
  private final AloneSamples alone;
  private final RecordChunks records;
  private final Steps steps;
  private final Plan plan;
  private final Arena arena;
  private final MemorySegment inputs;
  private final MemorySegment targets;
  private final Geometry geometry;
  private final Consumer row;
  private final Optional<TakenSamples> taken;
  private final PassChecksum passes;
  private final Pace pace = new Pace();
  private final WaitTimes times = new WaitTimes();
  private Position position;
  private long given;
  private long lastChunk = -1;

  SharedLoader(
      SampleRing ring,
      AloneSamples alone,
      RecordChunks records,
      Steps steps,
      Plan plan,
      LoaderOptions options,
      Optional<TakenSamples> taken,
      Consumer row) {
    this.ring = ring;
    reader = new RingReader(ring, row);
    this.alone = alone;
    this.records = records;
    this.steps = steps;
    this.plan = plan;
    this.taken = taken;
    this.row = row;
    geometry = ring.geometry();
    position = plan.from();
    passes =
        new PassChecksum(
            row,
            taken.map(TakenSamples::passes).orElseGet(() -> visit(position.sample())),
            taken.map(TakenSamples::sum).orElseGet(this::sumBefore));
    int most =
        Math.ceilDiv(steps.largestStep(), plan.shards()) * (plan.endShard() - plan.firstShard());
    int samples = Math.max(1, Math.min(most, steps.largestStep()));
    arena = options.memory().get();
    inputs = arena.allocate(geometry.inputBytes() * samples, ValueLayout.JAVA_LONG.byteAlignment());
    targets =
        arena.allocate(geometry.targetBytes() * samples, ValueLayout.JAVA_LONG.byteAlignment());
    place(row.cursor());
    keep();
  }

  @Override
  public boolean hasNext() {
    return given < plan.steps();
  }

  @Override
  public Batch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the loader ends after step " + position.step());
    }
    double used = times.wanted();
    Step step = steps.at(position);
    Step.Share share = plan.share(step);
    if (given > 0) {
      // All ranks of a member go on as fast as one of them.
      pace.took(step.count(), used);
      row.rate(pace.rate());
    }
    taken.ifPresent(this::adjust);
    int count = 0;
    for (int i = 0; i < share.count(); i++) {
      count += take(share.from() + i, count) ? 1 : 0;
    }
    row.add(Consumer.DELIVERED, share.count());
    Batch batch =
        new Batch(
            position,
            inputs.asSlice(0, count * geometry.inputBytes()),
            targets.asSlice(0, count * geometry.targetBytes()),
            count,
            step.count(),
            share.count() - count);
    position = step.next();
    given++;
    if (taken.isEmpty()) {
      passes.at(visit(position.sample()));
    }
    keep();
    place(taken.isPresent() ? taken.get().next() : plan.share(steps.at(position)).from());
    row.add(Consumer.WAITED_NANOS, times.given());
    return batch;
  }

  /** Follows the speed of the others, and goes on further ahead after it was too slow. */
  private void adjust(TakenSamples own) {
    int present = Math.max(1, own.every());
    boolean pressed = row.queue() >= geometry.samples() / 2;
    int wished = pace.every(present, ring.present(), row, pressed);
    // Only one that others are about to wait for leaves out more.
    int every = wished > present && !pressed ? present : wished;
    boolean full = row.queue() > geometry.samples() * FULL;
    if (full && present > 1 && present <= pace.wished()) {
      every = present + 1; // it still falls behind
    }
    boolean late = row.is(Consumer.BEHIND) || !ring.ahead(own.next());
    if (own.alone()) {
      return;
    }
    if (late) {
      move(own, every);
    } else if (every != own.every()) {
      own.move(own.next(), every);
      place(own.next());
    }
  }

  /** Takes part again where all that follows is still to be had. */
  private void move(TakenSamples own, int every) {
    own.move(Math.max(own.next(), ring.rejoin(Optional.of(row))), every);
    row.add(Consumer.MOVES, 1);
    place(own.next());
    row.become(Consumer.BEHIND, Consumer.ACTIVE);
  }

  private void place(long sequence) {
    boolean apart = taken.map(TakenSamples::alone).orElse(false);
    // What is prepared alone holds nobody up: the place is where the others are.
    long shown = apart ? ring.rejoin(Optional.of(row)) : sequence;
    int every = taken.map(own -> Math.max(1, own.every())).orElse(1);
    long left = (plan.steps() - given) * steps.globalBatch();
    row.place(shown, every, shown + left * every);
    long chunk = shown / geometry.chunk();
    if (chunk != lastChunk) {
      lastChunk = chunk;
      ring.madeRoom();
    }
  }

  /** Takes the sample of this place in the run; false if its record is bad. */
  private boolean take(long sample, int place) {
    if (taken.isEmpty()) {
      long ordinal = records.ordinal(sample);
      if (row.is(Consumer.BEHIND) && ring.ahead(sample)) {
        row.become(Consumer.BEHIND, Consumer.ACTIVE); // it has caught up by itself
      }
      boolean good = copied(sample, place) || prepared(ordinal, visit(sample), place);
      passes.at(visit(sample));
      passes.add(ordinal);
      onward(sample + 1);
      return good;
    }
    TakenSamples own = taken.get();
    boolean copied = false;
    if (own.sparse()) {
      own.move(own.next(), pace.wished());
      place(own.next());
    }
    while (!copied && !own.alone()) {
      Outcome outcome = reader.copy(own.next(), inputs, targets, place);
      copied = outcome == Outcome.COPIED;
      if (outcome == Outcome.OVERWRITTEN) {
        move(own, Math.max(1, own.every()));
      } else if (outcome == Outcome.MISSING) {
        break;
      }
    }
    long ordinal = own.ordinal();
    boolean good = copied || prepared(ordinal, own.visit(), place);
    boolean apart = own.alone();
    passes.add(ordinal);
    own.take();
    passes.at(own.passes());
    if (apart && !own.alone()) {
      move(own, pace.wished());
    } else {
      onward(own.next());
    }
    return good;
  }

  /** Lets makers overwrite what was taken, once for each chunk. */
  private void onward(long sequence) {
    if (sequence / geometry.chunk() != lastChunk) {
      place(sequence);
    }
  }

  /** The sum of what was taken of this pass before, if all of it is taken in order. */
  private long sumBefore() {
    long sum = 0;
    long from = position.sample();
    for (long sample = from - steps.order().placeOf(from); sample < from; sample++) {
      sum += plan.rank() == 0 ? TakenSamples.mix(records.ordinal(sample)) : 0;
    }
    return sum;
  }

  private long visit(long sample) {
    return steps.order().epochOf(sample);
  }

  private boolean copied(long sequence, int place) {
    return reader.copy(sequence, inputs, targets, place) == Outcome.COPIED;
  }

  private boolean prepared(long ordinal, long visit, int place) {
    if (ring.closed()) {
      throw new WorkFailedException("the share was closed");
    }
    row.add(Consumer.ALONE, 1);
    return alone.write(
        ordinal,
        visit,
        inputs.asSlice(place * geometry.inputBytes(), geometry.inputBytes()),
        targets.asSlice(place * geometry.targetBytes(), geometry.targetBytes()));
  }

  /** What a checkpoint keeps besides a position, one of the last few; empty if that says it all. */
  public Optional<String> saved(Position at) {
    return Optional.ofNullable(kept.get(at.step()));
  }

  private void keep() {
    if (taken.isPresent()) {
      kept.put(position.step(), taken.get().save());
      var _ = kept.remove(position.step() - KEPT);
    }
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public int ready() {
    return Math.clamp(row.queue() / Math.max(1, steps.globalBatch()), 0, Integer.MAX_VALUE);
  }

  @Override
  public StallReport stalls() {
    return times.report(ring.area().participants());
  }

  /** Leaves the share; others go on. */
  @Override
  public void close() {
    row.become(Consumer.ACTIVE, Consumer.LEFT);
    row.become(Consumer.BEHIND, Consumer.LEFT);
    ring.wentOn();
    arena.close();
  }
}
