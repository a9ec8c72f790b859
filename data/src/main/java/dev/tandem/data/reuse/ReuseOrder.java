package dev.tandem.data.reuse;

import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.Seed;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of samples under reuse: rounds of the plan's steps, each served pass by pass. Any step
 * is found in constant time. Positions count the steps and samples that are served, not those that
 * are read. Immutable.
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
    this.steps = steps;
    this.plan = plan;
    this.places = places;
    this.seed = steps.order().seed().derive("reuse");
    this.stepsPerEpoch = steps.epochEnd() == EpochEnd.EXACT ? steps.stepsFor(1) : 0;
  }

  /** Steps that are served until so many epochs were read. */
  public long stepsFor(long epochs) {
    if (steps.epochEnd() == EpochEnd.EXACT) {
      return epochs * stepsPerEpoch * plan.uses();
    }
    return Math.ceilDiv(steps.stepsFor(epochs), (long) plan.keptSteps())
        * plan.keptSteps()
        * plan.uses();
  }

  /** Where a served step begins. */
  public Position position(long step) {
    Place place = locate(step);
    long fresh = firstFresh(place.round);
    long before = steps.position(fresh).sample();
    long roundSamples = steps.position(fresh + stepsOf(place.round)).sample() - before;
    long within = steps.position(fresh + place.step).sample() - before;
    return new Position(step, before * plan.uses() + place.pass * roundSamples + within);
  }

  Place locate(long step) {
    if (stepsPerEpoch == 0) {
      long perRound = (long) plan.keptSteps() * plan.uses();
      return place(step / perRound, step % perRound);
    }
    long servedPerEpoch = stepsPerEpoch * plan.uses();
    long within = step % servedPerEpoch;
    long perRound = (long) plan.keptSteps() * plan.uses();
    return place(step / servedPerEpoch * roundsPerEpoch() + within / perRound, within % perRound);
  }

  private Place place(long round, long within) {
    int size = stepsOf(round);
    return new Place(round, (int) (within / size), (int) (within % size));
  }

  private long roundsPerEpoch() {
    return Math.ceilDiv(stepsPerEpoch, (long) plan.keptSteps());
  }

  /** Steps of a round; the last of an epoch may have fewer. */
  int stepsOf(long round) {
    if (stepsPerEpoch == 0) {
      return plan.keptSteps();
    }
    long first = round % roundsPerEpoch() * plan.keptSteps();
    return (int) Math.min(plan.keptSteps(), stepsPerEpoch - first);
  }

  private long firstFresh(long round) {
    return stepsPerEpoch == 0
        ? round * plan.keptSteps()
        : round / roundsPerEpoch() * stepsPerEpoch + round % roundsPerEpoch() * plan.keptSteps();
  }

  /** Who serves what in a round. */
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

  /** Where the ranks are that share the samples. */
  public RankPlaces places() {
    return places;
  }
}
