package dev.tandem.train.batch;

/**
 * What training has come to after a step; the same on all ranks.
 *
 * @param step steps made, this one counted
 * @param epoch epochs that are complete, this step counted
 * @param epochEnded whether this step was the last of an epoch
 * @param samples samples that all ranks have trained on
 * @param loss mean loss over the samples of this step
 * @param learningRate of this step
 * @param batch samples of a step, over all ranks, as it was asked for; the last step of an epoch
 *     may have had fewer
 */
public record BatchObservation(
    long step,
    long epoch,
    boolean epochEnded,
    long samples,
    double loss,
    double learningRate,
    int batch) {}
