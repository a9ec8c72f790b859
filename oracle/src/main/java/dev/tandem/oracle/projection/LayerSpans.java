package dev.tandem.oracle.projection;

import dev.tandem.oracle.projection.Projection.LayerSpan;
import java.util.AbstractList;
import java.util.RandomAccess;

/** What the layers of a plan take in an iteration, worked out where it is asked for. Immutable. */
final class LayerSpans extends AbstractList<LayerSpan> implements RandomAccess {

  private final LocalPlan plan;
  private final PassTimes pass;
  private final double passes;
  private final double crowding;

  LayerSpans(LocalPlan plan, PassTimes pass, double passes, double crowding) {
    this.plan = plan;
    this.pass = pass;
    this.passes = passes;
    this.crowding = crowding;
  }

  @Override
  public LayerSpan get(int layer) {
    double exchange =
        pass.copyForward[layer]
            + pass.copyBackward[layer]
            + pass.exchangeForward[layer]
            + pass.exchangeBackward[layer]
            + pass.statistics[layer];
    return new LayerSpan(
        plan.work().get(layer).layer().name(),
        passes * crowding * pass.forward[layer],
        passes * crowding * pass.backward[layer],
        passes * exchange);
  }

  @Override
  public int size() {
    return plan.work().size();
  }
}
