package dev.tandem.oracle.projection;

import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.stage.Balance;
import dev.tandem.parallel.stage.StageCuts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongToDoubleFunction;

/** A rank's plan cut into stages that take about as long. Any thread may use it. */
final class StagedPlan {

  private final LocalPlan plan;
  private final List<Integer> begins;
  private final StageCuts cuts;
  private final int layers;

  /** Made when they are asked for: times do not need them. */
  private final Map<Integer, LocalPlan> stages = new ConcurrentHashMap<>();

  /**
   * Cuts a plan.
   *
   * @throws dev.tandem.core.UsageException if there are not as many stages
   */
  StagedPlan(LocalPlan plan, Balance balance, int count) {
    this.plan = plan;
    cuts = plan.cuts();
    cuts.check(count);
    layers = plan.work().size();
    begins = balance.begins(count);
  }

  /**
   * Where a plan is cut into any number of stages.
   *
   * @param pass what the layers take for a piece
   * @param message seconds of a message of these elements
   */
  static Balance balance(LocalPlan plan, PassTimes pass, LongToDoubleFunction message) {
    StageCuts cuts = plan.cuts();
    int layers = plan.work().size();
    double[] costs = new double[layers];
    double[] messages = new double[layers];
    for (int i = 0; i < layers; i++) {
      costs[i] = pass.forwardSum(i, i + 1) + pass.backwardSum(i, i + 1);
      if (i > 0) {
        messages[i] = message.applyAsDouble(cuts.elementsForward(i) + cuts.elementsBackward(i));
      }
    }
    return new Balance(cuts, costs, messages);
  }

  /** What a rank of a stage computes. */
  LocalPlan stage(int stage) {
    return stages.computeIfAbsent(
        stage,
        _ ->
            new LocalPlan(
                cuts.stage(
                    begins,
                    stage,
                    stage == 0 ? Optional.empty() : Optional.of(new NoTransfer(2, 1)),
                    stage == begins.size() - 1
                        ? Optional.empty()
                        : Optional.of(new NoTransfer(2, 0))),
                plan.groups(),
                plan.frozen()));
  }

  /** The place of the first layer of a stage. */
  int begin(int stage) {
    return begins.get(stage);
  }

  /** The place after the last layer of a stage. */
  int end(int stage) {
    return stage + 1 < begins.size() ? begins.get(stage + 1) : layers;
  }

  /** Number of stages. */
  int count() {
    return begins.size();
  }

  /** Elements of a sample that go from a stage to the next; 0 for the last. */
  long elements(int stage) {
    return stage + 1 < begins.size() ? cuts.elementsForward(begins.get(stage + 1)) : 0;
  }

  /** Tensors that go from a stage to the next. */
  int tensors(int stage) {
    return stage + 1 < begins.size() ? cuts.crossing(begins.get(stage + 1)).size() : 0;
  }

  /** Names of the layers that begin the stages after the first. */
  List<String> names() {
    return cuts.names(begins);
  }
}
