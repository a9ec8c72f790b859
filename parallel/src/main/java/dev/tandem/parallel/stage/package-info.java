/**
 * Pipelines: the layers of a network in stages, each on another rank, through which the pieces of a
 * step go one after the other.
 *
 * <p>{@link dev.tandem.parallel.stage.StageCuts} makes the network of a stage, {@link
 * dev.tandem.parallel.stage.Balance} decides where to cut, a {@link
 * dev.tandem.parallel.stage.Schedule} is the order of passes and {@link
 * dev.tandem.parallel.stage.StageRun} executes it. Gradients have the same bits for every cut and
 * schedule: those of one process that accumulates the same pieces.
 */
package dev.tandem.parallel.stage;
