package dev.tandem.sync.tune;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Which candidate is used in which step, and which one wins. Candidates take turns of a few steps,
 * forward in one round and backward in the next, so that whatever the machine does in the long run
 * happens to all of them; the first steps of a turn do not count (plans are made in them); medians
 * are compared. First the policies by themselves, then the caps of the winner around its own, then
 * its cycle times if it has any. A candidate must be faster than the one before it by a margin,
 * else the earlier one stays: differences below it are noise.
 *
 * <p>Counts steps and holds no clock, so it is the same on all ranks; when a stage ends, ranks must
 * agree on the medians. One thread.
 */
final class Search {

  /**
   * How long the search is.
   *
   * @param rounds of turns
   * @param warmUp steps of a turn that do not count
   * @param steps of a turn that do
   * @param margin by which a candidate must be faster than the one that is chosen so far
   */
  record Effort(int rounds, int warmUp, int steps, double margin) {

    static final Effort DEFAULT = new Effort(3, 3, 4, 0.02);
  }

  private static final List<String> POLICIES =
      List.of("buckets", "topo", "nbcs", "gs", "baseline-parked");
  private static final long[] CYCLES_MICROS = {250, 1_000, 2_500, 5_000};
  private static final long[] CAPS_MEBIBYTES = {1, 5, 25, 128};

  private enum Stage {
    POLICY,
    CAP,
    CYCLE,
    DONE;

    Stage next() {
      return switch (this) {
        case POLICY -> CAP;
        case CAP -> CYCLE;
        case CYCLE, DONE -> DONE;
      };
    }
  }

  private final Effort effort;
  private final long gradientBytes;
  private Stage stage = Stage.POLICY;
  private List<Candidate> candidates = POLICIES.stream().map(Candidate::of).toList();
  private List<List<Double>> millis = lists(POLICIES.size());
  private int turn;
  private int step;
  private long steps;
  private Candidate chosen = candidates.getFirst();
  private double chosenMillis;

  /**
   * A search that has not begun.
   *
   * @param gradientBytes of all tensors together: caps beyond it are all the same
   */
  Search(Effort effort, long gradientBytes) {
    this.effort = effort;
    this.gradientBytes = gradientBytes;
  }

  private static List<List<Double>> lists(int count) {
    List<List<Double>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  boolean done() {
    return stage == Stage.DONE;
  }

  /** What is to be used in the next step. */
  Candidate current() {
    return done() ? chosen : candidates.get(place());
  }

  /** Steps so far. */
  long steps() {
    return steps;
  }

  /** The median step of what was chosen, when it was measured last. */
  double chosenMillis() {
    return chosenMillis;
  }

  private int place() {
    int inRound = turn % candidates.size();
    return turn / candidates.size() % 2 == 0 ? inRound : candidates.size() - 1 - inRound;
  }

  /** A step under the current candidate took so long on this rank. */
  void step(double took) {
    steps++;
    if (step >= effort.warmUp()) {
      millis.get(place()).add(took);
    }
    step++;
    if (step == effort.warmUp() + effort.steps()) {
      step = 0;
      turn++;
    }
  }

  /** Whether all turns of a stage are over, and {@link #choose} is to get the medians. */
  boolean stageEnded() {
    return !done() && turn == effort.rounds() * candidates.size();
  }

  /** The medians of this rank, one for each candidate of the stage. */
  double[] medians() {
    return millis.stream()
        .mapToDouble(
            list -> {
              double[] sorted = list.stream().mapToDouble(Double::doubleValue).sorted().toArray();
              return sorted[sorted.length / 2];
            })
        .toArray();
  }

  /** Ends the stage with the medians that all ranks agreed on. */
  void choose(double[] medians) {
    int best = 0;
    for (int i = 1; i < medians.length; i++) {
      best = medians[i] < medians[best] * (1 - effort.margin()) ? i : best;
    }
    chosen = candidates.get(best);
    chosenMillis = medians[best];
    do {
      stage = stage.next();
      candidates = stageCandidates();
    } while (!done() && candidates.size() < 2);
    millis = lists(candidates.size());
    turn = 0;
    step = 0;
  }

  /** What a stage compares: what was chosen so far, then what differs from it. */
  private List<Candidate> stageCandidates() {
    LongStream others =
        switch (stage) {
          case CAP -> Arrays.stream(CAPS_MEBIBYTES).map(cap -> cap << 20).filter(this::matters);
          case CYCLE ->
              chosen.negotiates()
                  ? Arrays.stream(CYCLES_MICROS).map(micros -> micros * 1_000)
                  : LongStream.empty();
          case POLICY, DONE -> LongStream.empty();
        };
    List<Candidate> list = new ArrayList<>(List.of(chosen));
    others
        .mapToObj(
            value ->
                stage == Stage.CAP ? chosen.withFusionBytes(value) : chosen.withCycleNanos(value))
        .filter(other -> !other.equals(chosen))
        .forEach(list::add);
    return list;
  }

  /** A cap that all gradients fit under does what the chosen one does, if they fit there, too. */
  private boolean matters(long cap) {
    return cap < gradientBytes || chosen.fusionBytes() < gradientBytes;
  }
}
