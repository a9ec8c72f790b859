package dev.tandem.tune.task;

/** What a study makes small or large, as Java code. Called by several threads at a time. */
@FunctionalInterface
public interface Objective {

  /**
   * Tries the parameters of a trial.
   *
   * @return the value of the metric
   * @throws Exception the trial failed; its message is the reason
   */
  double run(TaskContext context) throws Exception;
}
