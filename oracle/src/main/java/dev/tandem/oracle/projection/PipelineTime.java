package dev.tandem.oracle.projection;

import dev.tandem.parallel.stage.Schedule;
import java.util.Arrays;

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
    double[][] forwardDone = new double[stages][pieces];
    double[][] backwardDone = new double[stages][pieces];
    int[] forwards = new int[stages];
    int[] backwards = new int[stages];
    double[] free = new double[stages];
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int stage = 0; stage < stages; stage++) {
        int ahead = schedule.ahead(stage, stages, pieces);
        while (backwards[stage] < pieces) {
          int piece;
          double came;
          // By turns, after some forward passes.
          if (forwards[stage] < Math.min(pieces, ahead + backwards[stage] + 1)) {
            piece = forwards[stage];
            if (stage > 0 && forwards[stage - 1] <= piece) {
              break;
            }
            came = stage == 0 ? 0 : forwardDone[stage - 1][piece] + messages[stage - 1];
            free[stage] = Math.max(free[stage], came) + forward[stage];
            forwardDone[stage][piece] = free[stage];
            forwards[stage]++;
          } else {
            piece = backwards[stage];
            if (stage < stages - 1 && backwards[stage + 1] <= piece) {
              break;
            }
            came = stage == stages - 1 ? 0 : backwardDone[stage + 1][piece] + messages[stage];
            free[stage] = Math.max(free[stage], came) + backward[stage];
            backwardDone[stage][piece] = free[stage];
            backwards[stage]++;
          }
          moved = true;
        }
      }
    }
    return Arrays.stream(free).max().orElse(0);
  }
}
