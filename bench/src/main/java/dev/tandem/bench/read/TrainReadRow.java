package dev.tandem.bench.read;

/**
 * Training by one read mode from one storage. Milliseconds are of an iteration, means over the
 * ranks and over all iterations but the first.
 *
 * @param storage "disk" or "latency"
 * @param mode as asked for
 * @param read the mode that it became, where it was {@code auto}
 * @param firstSeconds until the first batch was there, which the others do not have
 * @param imagesPerSecond of all ranks, from the beginning of reading to the end of training
 * @param readMilliseconds waiting for a batch
 * @param skewMilliseconds waiting for the other ranks before gradients are summed
 * @param digest of the parameters in the end; the same for all
 */
public record TrainReadRow(
    String storage,
    String mode,
    String read,
    int ranks,
    long iterations,
    double imagesPerSecond,
    double firstSeconds,
    double readMilliseconds,
    double skewMilliseconds,
    double forwardMilliseconds,
    double backwardMilliseconds,
    double syncMilliseconds,
    double updateMilliseconds,
    String digest) {}
