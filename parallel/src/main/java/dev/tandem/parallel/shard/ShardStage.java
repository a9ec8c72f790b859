package dev.tandem.parallel.shard;

/** What ranks that differ in samples keep rows of, instead of copies. */
public enum ShardStage {
  /** Optimizer state: each rank updates its rows of the parameters, and all get all rows. */
  OPTIMIZER,
  /** And gradients: a layer's gradient exists until its rows are summed where they are kept. */
  GRADIENTS,
  /** And parameters: those of a layer exist only while it computes. */
  PARAMETERS
}
