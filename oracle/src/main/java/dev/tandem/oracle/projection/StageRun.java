package dev.tandem.oracle.projection;

import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanTraffic.Operation;

/**
 * How the pieces of a step go through the stages of a pipeline: what does not depend on how many
 * ranks have other samples. Immutable.
 *
 * @param slowest the stage that works longest
 * @param forwardOfSlowest seconds of a piece
 * @param busy seconds that the slowest stage works
 * @param all seconds until the last stage is done
 */
record StageRun(int slowest, double forwardOfSlowest, double busy, double all) {

  /**
   * What it depends on.
   *
   * @param samples of a piece
   * @param neighbours the ranks of two stages that talk
   */
  record Key(
      StagedPlan plan,
      PassTimes pass,
      long samples,
      int passes,
      Candidate.Stages how,
      double crowding,
      Group neighbours) {}

  static StageRun of(Key key, Workload workload, Environment environment) {
    StagedPlan cut = key.plan;
    PassTimes pass = key.pass;
    int stages = cut.count();
    double[] forward = new double[stages];
    double[] backward = new double[stages];
    double[] messages = new double[stages];
    int slowest = 0;
    for (int stage = 0; stage < stages; stage++) {
      int begin = cut.begin(stage);
      int end = cut.end(stage);
      forward[stage] = key.crowding * (pass.forwardSum(begin, end) + pass.perPass / stages);
      backward[stage] =
          workload.inference()
              ? 0
              : key.crowding * pass.backwardSum(begin, end)
                  + (key.how.recompute() ? forward[stage] : 0);
      messages[stage] =
          stage == stages - 1
              ? 0
              : environment
                  .collectives()
                  .of(
                      Operation.SEND,
                      key.neighbours,
                      cut.elements(stage) * key.samples * workload.activations().bytes(),
                      cut.tensors(stage));
      if (forward[stage] + backward[stage] > forward[slowest] + backward[slowest]) {
        slowest = stage;
      }
    }
    return new StageRun(
        slowest,
        forward[slowest],
        key.passes * (forward[slowest] + backward[slowest]),
        PipelineTime.of(key.how.schedule(), forward, backward, messages, key.passes));
  }
}
