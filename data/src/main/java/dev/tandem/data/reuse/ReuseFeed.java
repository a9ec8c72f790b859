package dev.tandem.data.reuse;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Feed;
import dev.tandem.data.load.Fetch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.StepSamples;
import dev.tandem.data.order.EpochOrder;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Step;
import dev.tandem.data.reuse.ReuseOrder.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Feeds a loader with steps under reuse. The plan counts served steps. All ranks make their feeds
 * at the same place in the order of their operations, take the same steps, and close them at the
 * same step.
 *
 * <p>Note [Exchange in the order of the program]: the exchange before a pass is started when the
 * consumer asks for the first step of the pass before, on a communicator of its own. So all ranks
 * start the same exchanges in the same order, however far their threads have read ahead; and an
 * exchange that was started takes place, also if a rank gives up meanwhile, which it then announces
 * in the exchange.
 */
public final class ReuseFeed implements Feed {

  private static final long READ_TOGETHER = 4L << 20;

  private final RecordSource source;
  private final ReuseOrder order;
  private final Plan plan;
  private final ReuseMeter meter;
  private final Map<Level, Communicator> groups = new EnumMap<>(Level.class);

  /** Rounds that are read, exchanged or served; its monitor guards {@code closed}, too. */
  private final NavigableMap<Long, HeldRound> rounds = new TreeMap<>();

  private boolean closed;
  private volatile long recordBytes = 1;

  // Of the thread that plans.
  private long nextStep;
  private long epoch = -1;
  private EpochOrder epochOrder;

  // Of the consumer.
  private Place asked;

  /**
   * A feed of the plan's part of the order.
   *
   * @param communicator the plan's ranks, for exchanges between processes; stays the caller's
   */
  public ReuseFeed(
      RecordSource source,
      ReuseOrder order,
      Plan plan,
      Communicator communicator,
      ReuseMeter meter) {
    if (communicator.size() != plan.ranks()
        || communicator.rank() != plan.rank()
        || order.places().ranks() != plan.ranks()) {
      throw new IllegalArgumentException(
          "rank %d of %d with a communicator of %d and places for %d"
              .formatted(plan.rank(), plan.ranks(), communicator.size(), order.places().ranks()));
    }
    this.source = source;
    this.order = order;
    this.plan = plan;
    this.meter = meter;
    this.nextStep = plan.from().step();
    // The same order in all ranks.
    for (Level level : new TreeSet<>(order.plan().passes())) {
      int[] members = order.places().group(level, plan.rank());
      if (members.length > 1) {
        groups.put(level, communicator.group(members));
      }
    }
  }

  @Override
  public int largestShare() {
    return Math.ceilDiv(order.largestStep(), plan.ranks());
  }

  private long endStep() {
    return plan.from().step() + plan.steps();
  }

  private HeldRound round(long number) {
    synchronized (rounds) {
      return rounds.computeIfAbsent(number, this::begin);
    }
  }

  private HeldRound begin(long number) {
    Place from = order.locate(plan.from().step());
    int firstPass = number == from.round() ? from.pass() : 0;
    HeldRound round =
        new HeldRound(order.round(number), order.plan().uses(), plan.rank(), firstPass);
    for (int pass = firstPass + 1; pass < order.plan().uses(); pass++) {
      if (!groups.containsKey(order.plan().passes().get(pass - 1))) {
        round.recomposeAlone(pass);
      }
    }
    if (closed) {
      round.fail(closedFailure());
    }
    return round;
  }

  @Override
  public Optional<Fetch> next(long mostBytes) {
    if (nextStep == endStep()) {
      return Optional.empty();
    }
    Place first = order.locate(nextStep);
    HeldRound round = round(first.round());
    long most = first.pass() == round.firstPass() ? Math.min(mostBytes, READ_TOGETHER) : 0;
    List<StepSamples> steps = new ArrayList<>();
    long samples = 0;
    Place place = first;
    do {
      StepSamples step = samples(round.order(), place);
      steps.add(step);
      samples += step.count();
      nextStep++;
      place = order.locate(nextStep);
    } while (nextStep < endStep()
        && place.round() == first.round()
        && place.pass() == first.pass()
        && samples * recordBytes < most);
    int from = round.order().firstOf(first.pass(), first.step(), plan.rank(), plan.ranks());
    return Optional.of(new RoundFetch(round, first, steps, from, (int) samples));
  }

  private StepSamples samples(RoundOrder roundOrder, Place place) {
    SampleOrder fresh = order.steps().order();
    Step step = roundOrder.steps(place.pass()).get(place.step());
    int first = roundOrder.firstOf(place.pass(), place.step(), plan.rank(), plan.ranks());
    int count = step.share(plan.rank(), plan.ranks()).count();
    int[] list = roundOrder.list(place.pass(), plan.rank());
    long[] ordinals = new long[count];
    long[] visits = new long[count];
    for (int i = 0; i < count; i++) {
      int sample = list[first + i];
      long inRun = roundOrder.firstSample() + sample;
      ordinals[i] = ordinal(inRun);
      visits[i] = fresh.epochOf(inRun) * order.plan().uses() + place.pass();
      if (place.pass() > 0) {
        meter.reused(roundOrder.distance(place.pass(), sample));
      }
    }
    meter.served(count);
    return new StepSamples(new Step(order.position(nextStep), step.count()), ordinals, visits);
  }

  private long ordinal(long sample) {
    SampleOrder fresh = order.steps().order();
    if (fresh.epochOf(sample) != epoch) {
      epoch = fresh.epochOf(sample);
      epochOrder = fresh.epoch(epoch);
    }
    return epochOrder.ordinal(fresh.placeOf(sample));
  }

  @Override
  public void asked(long index) {
    Place place = order.locate(plan.from().step() + index);
    if (asked != null && asked.round() == place.round() && asked.pass() == place.pass()) {
      return;
    }
    asked = place;
    synchronized (rounds) {
      rounds.headMap(place.round()).clear();
    }
    int nextPass = place.pass() + 1;
    int stepsUntilThen = order.stepsOf(place.round(), place.pass()) - place.step();
    if (nextPass < order.plan().uses() && index + stepsUntilThen < plan.steps()) {
      Level level = order.plan().passes().get(nextPass - 1);
      if (groups.containsKey(level)) {
        exchange(round(place.round()), nextPass, level);
      }
    }
  }

  /** See Note [Exchange in the order of the program]. */
  private void exchange(HeldRound round, int pass, Level level) {
    int[] members = order.places().group(level, plan.rank());
    SampleExchange exchange = new SampleExchange(round.order(), pass, plan.rank(), members, meter);
    var _ =
        groups
            .get(level)
            .start(
                collectives -> {
                  Optional<DataRecord[]> held;
                  try {
                    held = Optional.of(round.await(pass - 1));
                  } catch (RuntimeException e) {
                    held = Optional.empty();
                  }
                  try {
                    round.complete(pass, exchange.run(collectives, held));
                  } catch (RuntimeException e) {
                    round.fail(e);
                  }
                });
  }

  @Override
  public void close() {
    synchronized (rounds) {
      closed = true;
      rounds.values().forEach(round -> round.fail(closedFailure()));
    }
    groups.values().forEach(Communicator::close);
  }

  private static WorkFailedException closedFailure() {
    return new WorkFailedException("the loader is closed");
  }

  /** Some steps of one pass, read if it is the round's first, else there already. */
  private final class RoundFetch implements Fetch {

    private final HeldRound round;
    private final Place first;
    private final List<StepSamples> steps;
    private final int from;
    private final int count;
    private final long[] ordinals;

    RoundFetch(HeldRound round, Place first, List<StepSamples> steps, int from, int count) {
      this.round = round;
      this.first = first;
      this.steps = steps;
      this.from = from;
      this.count = count;
      this.ordinals = first.pass() == round.firstPass() ? toRead() : new long[0];
    }

    /** A run that resumes within a pass needs what comes before, too, if it is used again. */
    private long[] toRead() {
      boolean resumed = nextStep - steps.size() == plan.from().step();
      int begin = resumed && round.keepsAfter(first.pass()) ? 0 : from;
      int[] list = round.order().list(first.pass(), plan.rank());
      long firstSample = round.order().firstSample();
      return Arrays.stream(list, begin, from + count)
          .mapToLong(sample -> ordinal(firstSample + sample))
          .toArray();
    }

    @Override
    public List<StepSamples> steps() {
      return steps;
    }

    @Override
    public long expectedBytes() {
      return ordinals.length * recordBytes;
    }

    @Override
    public RecordBlock read() {
      if (first.pass() != round.firstPass()) {
        return new HeldRecords(Arrays.copyOfRange(round.await(first.pass()), from, from + count));
      }
      try {
        RecordBlock block = source.fetch(ordinals);
        DataRecord[] records = new DataRecord[ordinals.length];
        long bytes = 0;
        for (int i = 0; i < records.length; i++) {
          records[i] = block.record(i);
          bytes += records[i].value().byteSize();
        }
        meter.read(records.length, bytes);
        recordBytes = Math.max(1, records.length == 0 ? recordBytes : bytes / records.length);
        if (!round.keepsAfter(first.pass())) {
          return block;
        }
        try (block) {
          for (int i = 0; i < records.length; i++) {
            records[i] = Copies.of(records[i]);
          }
          block.ensureIntact();
        }
        int lead = ordinals.length - count;
        round.read(from - lead, records);
        return new HeldRecords(Arrays.copyOfRange(records, lead, records.length));
      } catch (RuntimeException e) {
        round.fail(e);
        throw e;
      }
    }
  }
}
