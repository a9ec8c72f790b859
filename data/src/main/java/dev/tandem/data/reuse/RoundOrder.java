package dev.tandem.data.reuse;

import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.order.Permutation;
import dev.tandem.data.order.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which rank holds and serves which sample in which pass of a round. Samples are numbered from 0 in
 * the order in which the first pass serves them. Every rank computes all of it; nothing is
 * communicated. Immutable.
 */
final class RoundOrder {

  /** By pass: its steps. */
  private final List<List<Step>> steps = new ArrayList<>();

  private final int samples;

  /** By pass and rank: the samples in the order in which the rank serves them. */
  private final int[][][] lists;

  /** By pass and sample: the rank that holds it. */
  private final int[][] holders;

  /** By pass and sample: how many samples of the pass all ranks together serve before it. */
  private final int[][] offsets;

  /**
   * The order of a round.
   *
   * @param fresh the steps of its first pass
   */
  RoundOrder(List<Step> fresh, ReusePlan plan, RankPlaces places, Seed seed) {
    this.samples = fresh.stream().mapToInt(Step::count).sum();
    this.lists = new int[plan.uses()][][];
    this.holders = new int[plan.uses()][samples];
    this.offsets = new int[plan.uses()][samples];
    for (int pass = 0; pass < plan.uses(); pass++) {
      steps.add(joined(fresh, plan.growth(pass)));
      int[][] shape = shape(steps.get(pass), places.ranks());
      lists[pass] =
          pass == 0
              ? shape
              : recomposed(lists[pass - 1], plan.passes().get(pass - 1), places, seed.derive(pass));
      for (int rank = 0; rank < places.ranks(); rank++) {
        int[] list = lists[pass][rank];
        for (int place = 0; place < list.length; place++) {
          holders[pass][list[place]] = rank;
          offsets[pass][list[place]] = shape[rank][place];
        }
      }
    }
  }

  /** Steps that have the samples of several each. */
  private static List<Step> joined(List<Step> fresh, int together) {
    List<Step> joined = new ArrayList<>();
    for (int first = 0; first < fresh.size(); first += together) {
      List<Step> parts = fresh.subList(first, Math.min(first + together, fresh.size()));
      int count = parts.stream().mapToInt(Step::count).sum();
      joined.add(new Step(parts.getFirst().position(), count));
    }
    return joined;
  }

  /** By rank: the offsets, among the samples of a pass, of those that it serves. */
  private int[][] shape(List<Step> pass, int ranks) {
    long first = pass.getFirst().position().sample();
    int[][] own = new int[ranks][];
    for (int rank = 0; rank < ranks; rank++) {
      int[] list = new int[samples];
      int count = 0;
      for (Step step : pass) {
        Step.Share share = step.share(rank, ranks);
        for (int i = 0; i < share.count(); i++) {
          list[count++] = (int) (share.from() - first) + i;
        }
      }
      own[rank] = Arrays.copyOf(list, count);
    }
    return own;
  }

  /** The ranks of every group permute what they hold; each keeps as many as it had. */
  private static int[][] recomposed(int[][] before, Level level, RankPlaces places, Seed seed) {
    int[][] after = new int[before.length][];
    for (int rank = 0; rank < before.length; rank++) {
      int[] members = places.group(level, rank);
      if (members[0] != rank) {
        continue;
      }
      int[] held = Arrays.stream(members).flatMap(m -> Arrays.stream(before[m])).toArray();
      int at = 0;
      Permutation permutation = new Permutation(seed.derive((long) rank), Math.max(1, held.length));
      for (int member : members) {
        after[member] = new int[before[member].length];
        for (int place = 0; place < after[member].length; place++) {
          after[member][place] = held[(int) permutation.at(at++)];
        }
      }
    }
    return after;
  }

  /** The steps of a pass, with the positions that their first samples have in the first pass. */
  List<Step> steps(int pass) {
    return steps.get(pass);
  }

  /** The round's first sample in the order of fresh samples. */
  long firstSample() {
    return steps.getFirst().getFirst().position().sample();
  }

  /** Samples of the round, over all ranks. */
  int samples() {
    return samples;
  }

  /** What a rank serves in a pass, in order. */
  int[] list(int pass, int rank) {
    return lists[pass][rank];
  }

  /** The records of a rank's list, in its order. */
  DataRecord[] pick(int pass, int rank, DataRecord[] bySample) {
    return Arrays.stream(lists[pass][rank])
        .mapToObj(sample -> bySample[sample])
        .toArray(DataRecord[]::new);
  }

  /** What a rank holds in a pass, by sample. */
  DataRecord[] bySample(int pass, int rank, DataRecord[] held) {
    DataRecord[] bySample = new DataRecord[samples];
    for (int place = 0; place < held.length; place++) {
      bySample[lists[pass][rank][place]] = held[place];
    }
    return bySample;
  }

  /** The rank that holds a sample in a pass. */
  int holder(int pass, int sample) {
    return holders[pass][sample];
  }

  /** Places in the order of all served samples from a use in the pass before to this one. */
  long distance(int pass, int sample) {
    return (long) samples + offsets[pass][sample] - offsets[pass - 1][sample];
  }

  /** Where in its list a rank has the first sample of a step. */
  int firstOf(int pass, int step, int rank, int ranks) {
    int first = 0;
    for (int earlier = 0; earlier < step; earlier++) {
      first += steps.get(pass).get(earlier).share(rank, ranks).count();
    }
    return first;
  }
}
