package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.nn.Samples;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Mixtures of samples (Zhang et al., mixup): the first sample of a pass with the last, the second
 * with the last but one and so on, all of a pass by one weight out of a beta distribution; the loss
 * is the mixture of the losses by both targets.
 *
 * <p>Partners come from the same pass: the samples of a shard at level elastic, so that the bits do
 * not depend on the number of ranks; those of a rank at the other levels. The weight depends on the
 * seed, the step and the place of the pass in it alone.
 *
 * @param alpha both parameters of the beta distribution; 0 mixes nothing
 */
record Mixup(double alpha, Seed seed) {

  private static final int ALIGNMENT = 64;

  static Mixup of(TrainingConfig config) {
    return new Mixup(config.data().mixup(), new Seed(config.seed()).derive("mixup"));
  }

  /** Whether this many samples are mixed. */
  boolean mixes(int count) {
    return alpha > 0 && count > 1;
  }

  /** Mixtures, in memory of the arena. */
  Samples mixed(Samples samples, Arena arena, long step, long place) {
    // At most half, so that the first target stays the heavier one.
    double drawn = beta(seed.derive(step).derive(place).random());
    double weight = Math.min(drawn, 1 - drawn);
    int count = samples.count();
    long values = samples.inputs().byteSize() / Float.BYTES / count;
    MemorySegment inputs = arena.allocate(samples.inputs().byteSize(), ALIGNMENT);
    long bytes = values * Float.BYTES;
    long targetBytes = samples.targets().byteSize() / count;
    MemorySegment targets = arena.allocate(samples.targets().byteSize(), ALIGNMENT);
    for (int i = 0; i < count; i++) {
      int other = count - 1 - i;
      mix(
          samples.inputs().asSlice(i * bytes, bytes),
          samples.inputs().asSlice(other * bytes, bytes),
          (float) weight,
          inputs.asSlice(i * bytes, bytes));
      MemorySegment.copy(
          samples.targets(), other * targetBytes, targets, i * targetBytes, targetBytes);
    }
    return new Samples(
        inputs, samples.targets(), count, Optional.of(new Samples.Second(targets, weight)));
  }

  private static void mix(
      MemorySegment first, MemorySegment second, float weight, MemorySegment into) {
    int values = Math.toIntExact(into.byteSize() / Float.BYTES);
    for (int i = 0; i < values; i++) {
      float one = first.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      float two = second.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      into.setAtIndex(ValueLayout.JAVA_FLOAT, i, one + (two - one) * weight);
    }
  }

  /** Jöhnk's method; StrictMath, so that it is the same on every machine. */
  private double beta(SplittableRandom random) {
    while (true) {
      double x = StrictMath.pow(random.nextDouble(), 1 / alpha);
      double y = StrictMath.pow(random.nextDouble(), 1 / alpha);
      double sum = x + y;
      if (sum == 0) {
        return random.nextBoolean() ? 1 : 0; // alpha is tiny
      }
      if (sum <= 1) {
        return x / sum;
      }
    }
  }
}
