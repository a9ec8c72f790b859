package dev.tandem.data.reuse;

import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of samples under reuse: rounds of the plan's steps, each served pass by pass. Any step
 * is found without going through those before it. Positions count the steps and samples that are
 * served, not those that are read. Immutable.
 */
public final class ReuseOrder {

  private final Steps steps;
  private final ReusePlan plan;
  private final RankPlaces places;
  private final Seed seed;

  /** Steps from one end of an epoch to the next, or 0 if the order does not stop there. */
  private final long stepsPerEpoch;

  /** A served step: which round, which pass of it, which step of that. */
  record Place(long round, int pass, int step) {}

  /** The order of a plan over fresh steps. */
  public ReuseOrder(Steps steps, ReusePlan plan, RankPlaces places) {
    if (plan.sawTooth() && steps.globalBatch() % places.ranks() != 0) {
      throw new UsageException(
          "a saw-tooth batch of %d samples cannot be divided evenly among %d ranks: change batch.global"
              .formatted(steps.globalBatch(), places.ranks()));
    }
    this.steps = steps;
    this.plan = plan;
    this.places = places;
    this.seed = steps.order().seed().derive("reuse");
    this.stepsPerEpoch = steps.epochEnd() == EpochEnd.EXACT ? steps.stepsFor(1) : 0;
  }

  /** Steps that are served until this many epochs were read. */
  public long stepsFor(long epochs) {
    if (steps.epochEnd() == EpochEnd.EXACT) {
      return epochs * servedPerEpoch();
    }
    long rounds = Math.ceilDiv(steps.stepsFor(epochs), (long) plan.keptSteps());
    return rounds * served(plan.keptSteps());
  }

  /** Where a served step begins. */
  public Position position(long step) {
    Place place = locate(step);
    long fresh = firstFresh(place.round);
    long before = steps.position(fresh).sample();
    long roundSamples = steps.position(fresh + stepsOf(place.round)).sample() - before;
    long within = Math.min((long) place.step * batch(place.pass), roundSamples);
    return new Position(step, before * plan.uses() + place.pass * roundSamples + within);
  }

  /** How often every sample that is read is served. */
  public int uses() {
    return plan.uses();
  }

  /** Samples of a served step over all ranks, as planned: the last of a pass may have fewer. */
  public int batchOf(long step) {
    return batch(locate(step).pass);
  }

  private int batch(int pass) {
    return Math.multiplyExact(steps.globalBatch(), plan.growth(pass));
  }

  /** Samples of the largest step, over all ranks. */
  int largestStep() {
    int largest = batch(plan.uses() - 1);
    return steps.epochEnd() == EpochEnd.EXACT
        ? (int) Math.min(largest, steps.order().size())
        : largest;
  }

  Place locate(long step) {
    long perRound = served(plan.keptSteps());
    if (stepsPerEpoch == 0) {
      return place(step / perRound, step % perRound);
    }
    long within = step % servedPerEpoch();
    return place(step / servedPerEpoch() * roundsPerEpoch() + within / perRound, within % perRound);
  }

  private Place place(long round, long within) {
    int pass = 0;
    long left = within;
    while (left >= stepsOf(round, pass)) {
      left -= stepsOf(round, pass);
      pass++;
    }
    return new Place(round, pass, (int) left);
  }

  /** Steps that a round serves in all its passes. */
  private long served(int freshSteps) {
    long served = 0;
    for (int pass = 0; pass < plan.uses(); pass++) {
      served += Math.ceilDiv(freshSteps, plan.growth(pass));
    }
    return served;
  }

  private long servedPerEpoch() {
    long fullRounds = roundsPerEpoch() - 1;
    return fullRounds * served(plan.keptSteps())
        + served((int) (stepsPerEpoch - fullRounds * plan.keptSteps()));
  }

  private long roundsPerEpoch() {
    return Math.ceilDiv(stepsPerEpoch, (long) plan.keptSteps());
  }

  /** Steps of a round's first pass; the last round of an epoch may have fewer. */
  private int stepsOf(long round) {
    if (stepsPerEpoch == 0) {
      return plan.keptSteps();
    }
    long first = round % roundsPerEpoch() * plan.keptSteps();
    return (int) Math.min(plan.keptSteps(), stepsPerEpoch - first);
  }

  /** Steps of a pass. */
  int stepsOf(long round, int pass) {
    return Math.ceilDiv(stepsOf(round), plan.growth(pass));
  }

  private long firstFresh(long round) {
    return stepsPerEpoch == 0
        ? round * plan.keptSteps()
        : round / roundsPerEpoch() * stepsPerEpoch + round % roundsPerEpoch() * plan.keptSteps();
  }

  /** Which rank serves what in a round. */
  RoundOrder round(long round) {
    List<Step> fresh = new ArrayList<>();
    Position position = steps.position(firstFresh(round));
    for (int i = 0; i < stepsOf(round); i++) {
      Step step = steps.at(position);
      fresh.add(step);
      position = step.next();
    }
    return new RoundOrder(fresh, plan, places, seed.derive(round));
  }

  Steps steps() {
    return steps;
  }

  ReusePlan plan() {
    return plan;
  }

  /** What the order depends on besides the order of fresh samples, for a checkpoint. */
  public String fingerprint() {
    return "%s, batch %d, %d ranks".formatted(plan, steps.globalBatch(), places.ranks());
  }

  /** Where the ranks are that share the samples. */
  public RankPlaces places() {
    return places;
  }
}
