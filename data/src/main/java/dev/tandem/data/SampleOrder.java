package dev.tandem.data;

import dev.tandem.core.Seed;

/**
 * The global order of samples over all epochs, and how steps and ranks divide it. Step {@code s} of
 * an epoch takes the next {@code globalBatch} places (the last step what is left); each rank takes
 * a contiguous share of the step. The order depends on the seed and the size alone, so it is the
 * same for any number of ranks, and any step is found in constant time.
 */
public final class SampleOrder {

  /** A rank's share of one step: places {@code from .. to-1} of the epoch. */
  public record Share(long epoch, long from, long to, int globalCount) {

    /** Samples of this rank; may be 0 in the last step of an epoch. */
    public int count() {
      return (int) (to - from);
    }
  }

  private final Seed seed;
  private final long size;
  private final int globalBatch;
  private long permutationEpoch = -1;
  private Permutation permutation;

  public SampleOrder(Seed seed, long size, int globalBatch) {
    if (size <= 0 || globalBatch <= 0) {
      throw new IllegalArgumentException(
          "%d samples in batches of %d: both must be positive".formatted(size, globalBatch));
    }
    this.seed = seed.derive("sample order");
    this.size = size;
    this.globalBatch = globalBatch;
  }

  /** Steps of one epoch; the last may be smaller. */
  public long stepsPerEpoch() {
    return (size + globalBatch - 1) / globalBatch;
  }

  /** Samples of the largest step, over all ranks. */
  public int largestStep() {
    return (int) Math.min(globalBatch, size);
  }

  /** What {@code rank} of {@code ranks} does in this step, counted from the start of the run. */
  public Share share(long step, int rank, int ranks) {
    long epoch = step / stepsPerEpoch();
    long first = step % stepsPerEpoch() * globalBatch;
    int count = (int) Math.min(globalBatch, size - first);
    return new Share(
        epoch,
        first + (long) count * rank / ranks,
        first + (long) count * (rank + 1) / ranks,
        count);
  }

  /** The ordinal of the record at this place of the epoch. Not for several threads at once. */
  public long ordinal(long epoch, long place) {
    if (epoch != permutationEpoch) {
      permutation = new Permutation(seed.derive(epoch), size);
      permutationEpoch = epoch;
    }
    return permutation.at(place);
  }
}
