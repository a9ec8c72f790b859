package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.DatabaseStatistics;
import dev.tandem.lmdb.Snapshot;
import java.util.Arrays;

/**
 * A root that gets the cursor from the root before it and hands it on, and meanwhile touches the
 * pages that it expects to need, so that the sequential walk finds them in memory.
 *
 * <p>In shuffled order there is no walk: each root goes to its records by ordinal, and nothing is
 * guessed.
 */
final class SpeculativeReading extends CopyReading {

  private final BatchPlan plan;
  private final CursorWalk walk;
  private final MappedData data;
  private final Peers roots;
  private final int[] members;
  private final int next;
  private final int previous;
  private final FetchedPages fetched;
  private final PageHistory history;
  private final boolean duplicates;
  private final int pageSize;
  private long from;
  private long to = -1;
  private int touched;

  /**
   * @param roots of all hosts, in the order of their readers
   * @param members the readers that this root reads for
   */
  SpeculativeReading(
      Snapshot snapshot,
      MappedData data,
      SlotRing ring,
      BatchPlan plan,
      CursorWalk walk,
      Peers roots,
      int[] members,
      FetchedPages fetched,
      OversizedValues outside) {
    super(snapshot, data, ring, new Shares(plan, members), walk, outside);
    this.plan = plan;
    this.walk = walk;
    this.data = data;
    this.roots = roots;
    this.members = members;
    this.next = (roots.rank() + 1) % roots.size();
    this.previous = (roots.rank() + roots.size() - 1) % roots.size();
    this.fetched = fetched;
    this.pageSize = snapshot.pageSize();
    Database database = snapshot.main();
    DatabaseStatistics statistics = database.statistics();
    this.duplicates = statistics.hasDuplicates();
    this.history =
        new PageHistory(
            plan.records(),
            snapshot.lastPage(),
            (double) plan.records() / Math.max(1, statistics.leafPages()));
  }

  private int first() {
    return plan.first(members[0]);
  }

  private int count() {
    return plan.first(members[members.length - 1] + 1) - first();
  }

  @Override
  void beginIteration(long iteration, Breakdown breakdown) {
    if (!plan.strided()) {
      return;
    }
    long began = System.nanoTime();
    history.guess(plan.ordinal(iteration * plan.batch() + first()), count());
    from = history.from();
    to = history.to();
    for (long page = from; page <= to; page++) {
      touched += CopyReading.touch(data, page * pageSize, 1);
      fetched.add(page);
    }
    long read = System.nanoTime();
    breakdown.read += read - began;
    boolean begins = iteration == 0 && roots.rank() == 0;
    if (roots.size() > 1 && !begins) {
      byte[] message = new byte[PortableCursor.BYTES];
      roots.receive(message, previous);
      long waited = System.nanoTime();
      breakdown.skew += waited - read;
      walk.standOn(PortableCursor.restore(message, walk.cursor(), duplicates));
      breakdown.seek += System.nanoTime() - waited;
    }
  }

  @Override
  void endIteration(long iteration, int found, Breakdown breakdown) {
    if (!plan.strided()) {
      return;
    }
    boolean ends = iteration == plan.iterations() - 1 && roots.rank() == roots.size() - 1;
    if (roots.size() > 1 && !ends) {
      long began = System.nanoTime();
      long place = iteration * plan.batch() + first() + count();
      walk.to(place);
      byte[] message = PortableCursor.write(walk.cursor(), plan.ordinal(place), duplicates);
      long sought = System.nanoTime();
      breakdown.seek += sought - began;
      roots.send(message, next);
      breakdown.skew += System.nanoTime() - sought;
    }
    compare(iteration, found, breakdown);
  }

  /** Counts what was guessed wrongly, and learns from it. */
  private void compare(long iteration, int found, Breakdown breakdown) {
    long[] needed = new long[found * 2];
    int count = 0;
    long low = Long.MAX_VALUE;
    long high = 0;
    long missed = 0;
    for (int i = 0; i < found; i++) {
      long leaf = keyPosition(i) / pageSize;
      if (count == 0 || needed[count - 1] != leaf) {
        count = add(needed, count, leaf);
      }
      long last = (valuePosition(i) + Math.max(1, valueLength(i)) - 1) / pageSize;
      for (long page = valuePosition(i) / pageSize; page <= last; page++) {
        if (count == needed.length) {
          needed = Arrays.copyOf(needed, count * 2);
        }
        count = add(needed, count, page);
      }
      if (count + 2 > needed.length) {
        needed = Arrays.copyOf(needed, needed.length * 2);
      }
    }
    Arrays.sort(needed, 0, count);
    long redundant = to - from + 1;
    long previousPage = -1;
    for (int i = 0; i < count; i++) {
      long page = needed[i];
      if (page == previousPage) {
        continue;
      }
      previousPage = page;
      boolean guessed = page >= from && page <= to;
      if (guessed) {
        redundant--;
      }
      boolean there = fetched.has(page);
      if (!there) {
        missed++;
        fetched.add(page);
      }
      // Pages that an earlier guess brought in need no wider guess.
      if (guessed || !there) {
        low = Math.min(low, page);
        high = Math.max(high, page);
      }
    }
    if (low <= high) {
      history.correct(start(found), low, high);
    }
    breakdown.guessedIterations = Math.toIntExact(iteration + 1);
    breakdown.redundantPages = put(breakdown.redundantPages, iteration, redundant);
    breakdown.missedPages = put(breakdown.missedPages, iteration, missed);
  }

  private long start(int found) {
    long[] pages = new long[found];
    for (int i = 0; i < found; i++) {
      pages[i] = valuePosition(i) / pageSize;
    }
    return history.start(pages, found);
  }

  private static int add(long[] pages, int count, long page) {
    pages[count] = page;
    return count + 1;
  }

  private static long[] put(long[] counts, long iteration, long count) {
    int place = Math.toIntExact(iteration);
    long[] grown = place < counts.length ? counts : Arrays.copyOf(counts, Math.max(16, place * 2));
    grown[place] = count;
    return grown;
  }

  @Override
  int touched() {
    return touched + super.touched();
  }
}
