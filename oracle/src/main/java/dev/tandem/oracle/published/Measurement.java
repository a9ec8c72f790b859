package dev.tandem.oracle.published;

/**
 * A row of a campaign's file.
 *
 * @param place file and line
 * @param source publication or log
 * @param gpus 0 if the row does not say
 * @param batchPerGpu global batch divided by GPUs; 0 if the row does not say
 * @param quantity what was measured, such as {@code iter_time_total}
 * @param congested whether the network is suspected to have been busy with the traffic of others
 */
public record Measurement(
    String place,
    String source,
    String model,
    String dataset,
    String strategy,
    int gpus,
    double batchPerGpu,
    String quantity,
    String unit,
    double value,
    boolean congested) {

  /** The time of an iteration, without input. */
  static final String ITERATION = "iter_time_total";

  /** The part of it that is computation. */
  static final String COMPUTATION = "iter_time_comp";

  /** The time of an epoch, without input. */
  static final String EPOCH = "epoch_time";

  /** Whether both rows are of the same run. */
  public boolean sameRun(Measurement other) {
    return source.equals(other.source)
        && model.equals(other.model)
        && dataset.equals(other.dataset)
        && strategy.equals(other.strategy)
        && gpus == other.gpus
        && batchPerGpu == other.batchPerGpu;
  }
}
