package dev.tandem.data.share;

import dev.tandem.core.UsageException;
import dev.tandem.data.order.EpochOrder;
import dev.tandem.data.order.SampleOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which samples of the common sequence one consumer takes, so that each pass of its own has every
 * record exactly once, whatever its speed.
 *
 * <p>The sequence goes through the records again and again, in the order of each round. A consumer
 * that takes one in {@code every} records takes in round {@code e} those whose hash is {@code e}
 * modulo {@code every}: in as many rounds it has had all of them. Where it begins within a round,
 * leaves samples out because it is too slow, or changes {@code every}, a new part of its pass
 * begins, in which it takes what it has not had yet. The parts are what a checkpoint keeps. For one
 * thread.
 */
final class TakenSamples {

  /** Records that are left at the end of a pass may be prepared alone if they are so few. */
  private static final int FEW = 8;

  /** They are, if so many times the usual number of samples lies between them. */
  private static final int SPARSE = 8;

  /** A pass that ends this close to the end of a round leaves the rest of the round out. */
  private static final int CLOSE = 16;

  private static final Pattern SAVED = Pattern.compile("pass=(\\d+) next=(\\d+) parts=([0-9/,]*)");

  /**
   * A part of a pass.
   *
   * @param from where in the sequence it began
   * @param every one in so many records was taken; 0 if those that were left were prepared alone
   * @param taken how many
   */
  private record Part(long from, int every, long taken) {}

  private final SampleOrder order;
  private final int size;
  private final List<Part> ended = new ArrayList<>();
  private long pass;
  private long from;
  private int every;
  private long takenInPart;
  private long takenInPass;

  /** The records of this pass that it has had; null while the parts tell it as well. */
  private BitSet seen;

  private long next;
  private boolean found;
  private long passedOver;
  private long ordinal;
  private long round = -1;
  private EpochOrder roundOrder;

  /**
   * The first pass begins here.
   *
   * @param sequence the place in the sequence
   * @param every takes one in so many records of a round
   */
  TakenSamples(SampleOrder order, long sequence, int every) {
    if (order.size() > Integer.MAX_VALUE) {
      throw new UsageException(
          "data.share: %,d records are too many to share, expected at most %,d"
              .formatted(order.size(), Integer.MAX_VALUE));
    }
    this.order = order;
    this.size = (int) order.size();
    begin(sequence, every);
  }

  private void begin(long sequence, int one) {
    from = sequence;
    every = one;
    takenInPart = 0;
    next = sequence;
    found = false;
    if (seen == null && (!ended.isEmpty() || sequence % size != 0)) {
      seen = replayed();
    }
  }

  /** Whether a consumer with this step takes a record in a round. */
  static boolean takes(long ordinal, long round, int every) {
    return every == 1 || Math.floorMod(mix(ordinal), every) == Math.floorMod(round, every);
  }

  /** A number for a record, whose sum over a pass shows that each was there once. */
  static long mix(long ordinal) {
    long z = ordinal + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** The place in the sequence of the sample to take next; its record is then known. */
  long next() {
    if (!found) {
      passedOver = -next;
      seek();
      passedOver += next;
    }
    return next;
  }

  private void seek() {
    while (!found) {
      look(next);
      boolean wanted =
          every == 0
              ? !seen.get((int) ordinal)
              : takes(ordinal, round, every) && (seen == null || !seen.get((int) ordinal));
      if (wanted) {
        found = true;
      } else {
        next++;
      }
    }
  }

  /**
   * Whether so little is left of this pass, and so far apart, that it would wait for most of a
   * round; {@link #move} then lets it be prepared alone.
   */
  boolean sparse() {
    var _ = next();
    return every > 0 && few() && passedOver > (long) SPARSE * every;
  }

  private boolean few() {
    return takenInPass > 0 && (size - takenInPass) * FEW <= size;
  }

  private void look(long sequence) {
    if (order.epochOf(sequence) != round) {
      round = order.epochOf(sequence);
      roundOrder = order.epoch(round);
    }
    ordinal = roundOrder.ordinal(order.placeOf(sequence));
  }

  /** The record to take next. */
  long ordinal() {
    var _ = next();
    return ordinal;
  }

  /** The round that the sample to take next belongs to: augmentation depends on it. */
  long visit() {
    var _ = next();
    return round;
  }

  /** Whether what is left of this pass is to be prepared alone. */
  boolean alone() {
    return every == 0;
  }

  /** Complete passes. */
  long passes() {
    return pass;
  }

  int every() {
    return every;
  }

  /** Takes the sample that is next. */
  void take() {
    var _ = next();
    if (seen != null) {
      seen.set((int) ordinal);
    }
    takenInPart++;
    takenInPass++;
    next++;
    found = false;
    if (takenInPass == size) {
      pass++;
      takenInPass = 0;
      ended.clear();
      seen = null;
      // What is left over belongs to whoever goes on: the sequence does not.
      long left = size - next % size;
      begin(left <= size / CLOSE ? next + left : next, Math.max(1, every));
    }
  }

  /**
   * Goes on at another place of the sequence, with another step.
   *
   * @param sequence not before the next sample, unless what follows is prepared alone
   */
  void move(long sequence, int one) {
    if (takenInPart > 0) {
      ended.add(new Part(from, every, takenInPart));
    } else if (takenInPass == 0) {
      seen = null;
    }
    if (takenInPass > 0 && seen == null) {
      seen = replayed();
    }
    boolean few = few();
    begin(few ? sequence - sequence % size : sequence, few ? 0 : one);
  }

  /** What the ended parts of this pass have taken. */
  private BitSet replayed() {
    BitSet had = new BitSet(size);
    for (Part part : ended) {
      long at = part.from;
      for (long left = part.taken; left > 0; at++) {
        look(at);
        if (!had.get((int) ordinal) && (part.every == 0 || takes(ordinal, round, part.every))) {
          had.set((int) ordinal);
          left--;
        }
      }
    }
    return had;
  }

  /** The sum of the {@link #mix numbers} of the records that this pass has had. */
  long sum() {
    long sum = 0;
    if (seen != null) {
      for (int had = seen.nextSetBit(0); had >= 0; had = seen.nextSetBit(had + 1)) {
        sum += mix(had);
      }
      return sum;
    }
    long at = from;
    for (long left = takenInPart; left > 0; at++) {
      look(at);
      if (takes(ordinal, round, every)) {
        sum += mix(ordinal);
        left--;
      }
    }
    found = false;
    return sum;
  }

  /** All that it takes to go on, as one line. */
  String save() {
    StringBuilder parts = new StringBuilder();
    for (Part part : ended) {
      parts.append(part.from).append('/').append(part.every).append('/').append(part.taken);
      parts.append(',');
    }
    parts.append(from).append('/').append(every).append('/').append(takenInPart);
    return "pass=%d next=%d parts=%s".formatted(pass, next, parts);
  }

  /** What {@link #save} gives for one that has taken all, from the beginning to this sample. */
  static String plain(SampleOrder order, long sample) {
    long pass = sample / order.size();
    return "pass=%d next=%d parts=%d/1/%d"
        .formatted(pass, sample, pass * order.size(), sample % order.size());
  }

  /** Goes on as another one has {@link #save saved} it. */
  static TakenSamples restore(SampleOrder order, String saved) {
    Matcher matcher = SAVED.matcher(saved);
    if (!matcher.matches()) {
      throw new UsageException("'" + saved + "' is no saved place in a share");
    }
    TakenSamples taken = new TakenSamples(order, 0, 1);
    taken.pass = Long.parseLong(matcher.group(1));
    for (String text : matcher.group(3).split(",", -1)) {
      String[] numbers = text.split("/", -1);
      Part part =
          new Part(
              Long.parseLong(numbers[0]), Integer.parseInt(numbers[1]), Long.parseLong(numbers[2]));
      taken.ended.add(part);
      taken.takenInPass += part.taken;
    }
    Part last = taken.ended.removeLast();
    boolean plain = taken.ended.isEmpty() && last.from % taken.size == 0;
    taken.ended.add(last);
    taken.seen = plain ? null : taken.replayed();
    taken.ended.removeLast();
    taken.from = last.from;
    taken.every = last.every;
    taken.takenInPart = last.taken;
    taken.next = Long.parseLong(matcher.group(2));
    taken.found = false;
    return taken;
  }
}
