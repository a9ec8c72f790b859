package dev.tandem.oracle.projection;

import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.Schedule.Direction;
import dev.tandem.parallel.stage.Schedule.Pass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * When the stages of a pipeline are done, if each begins a pass as soon as it is free and what the
 * pass needs has come.
 */
final class PipelineTime {

  private PipelineTime() {}

  /**
   * Seconds from the beginning to when the last stage is done.
   *
   * @param forward seconds of a piece's forward pass in each stage
   * @param backward likewise
   * @param messages seconds of a piece's message from each stage to the next; as many back
   */
  static double of(
      Schedule schedule, double[] forward, double[] backward, double[] messages, int pieces) {
    int stages = forward.length;
    List<List<Pass>> orders = new ArrayList<>();
    for (int stage = 0; stage < stages; stage++) {
      orders.add(schedule.order(stage, stages, pieces));
    }
    double[][] forwardDone = never(stages, pieces);
    double[][] backwardDone = never(stages, pieces);
    double[] free = new double[stages];
    int[] next = new int[stages];
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int stage = 0; stage < stages; stage++) {
        while (next[stage] < orders.get(stage).size()) {
          Pass pass = orders.get(stage).get(next[stage]);
          boolean ahead = pass.direction() == Direction.FORWARD;
          double came = came(stage, pass, forwardDone, backwardDone, messages);
          if (Double.isNaN(came)) {
            break;
          }
          free[stage] = Math.max(free[stage], came) + (ahead ? forward[stage] : backward[stage]);
          (ahead ? forwardDone : backwardDone)[stage][pass.piece()] = free[stage];
          next[stage]++;
          moved = true;
        }
      }
    }
    return Arrays.stream(free).max().orElse(0);
  }

  /** When what a pass needs is there; NaN if it is not known yet. */
  private static double came(
      int stage, Pass pass, double[][] forwardDone, double[][] backwardDone, double[] messages) {
    return switch (pass.direction()) {
      case FORWARD -> stage == 0 ? 0 : forwardDone[stage - 1][pass.piece()] + messages[stage - 1];
      case BACKWARD ->
          stage == forwardDone.length - 1
              ? 0
              : backwardDone[stage + 1][pass.piece()] + messages[stage];
    };
  }

  private static double[][] never(int stages, int pieces) {
    double[][] times = new double[stages][pieces];
    for (double[] row : times) {
      Arrays.fill(row, Double.NaN);
    }
    return times;
  }
}
