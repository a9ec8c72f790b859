package dev.tandem.bench.batch;

/**
 * One result of {@code tandem bench batch}.
 *
 * @param policy how the batch is sized: fixed or grow
 * @param batch of the first step
 * @param lastBatch of the last step
 * @param optimizer sgd, or lars for large batches
 * @param samples of the training set; fewer than all in a quick run
 * @param seed of the first values and the order of samples
 * @param target the accuracy that is to be reached on the test set
 * @param reached whether it was reached
 * @param epochs until it was reached, or that were tried; tests are made four times in an epoch
 * @param steps updates of the parameters in these epochs
 * @param seconds of training, without the tests
 * @param accuracy in the last test
 * @param worthwhile whether this batch and all smaller ones took at most twice the epochs of half
 *     their size
 */
public record BatchRow(
    String policy,
    int batch,
    int lastBatch,
    String optimizer,
    int samples,
    long seed,
    double target,
    boolean reached,
    double epochs,
    long steps,
    double seconds,
    double accuracy,
    boolean worthwhile,
    String machine) {

  BatchRow asWorthwhile(boolean value) {
    return new BatchRow(
        policy, batch, lastBatch, optimizer, samples, seed, target, reached, epochs, steps, seconds,
        accuracy, value, machine);
  }
}
