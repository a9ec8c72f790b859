package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * What the network of a run answers for every record of a data set, in the order of the records,
 * and what is right. Answers are probabilities of classes, or values in the units of the data.
 * Immutable.
 */
public final class RunOutputs {

  private final int width;
  private final float[] answers;
  private final int[] labels;
  private final float[] targets;

  /**
   * Outputs from elsewhere; takes the arrays over.
   *
   * @param width numbers that the network answers for a sample
   * @param answers of all samples, one after the other
   * @param labels the class of each sample; empty if targets are values
   * @param targets as {@code answers}; empty if targets are classes
   */
  public RunOutputs(int width, float[] answers, int[] labels, float[] targets) {
    this.width = width;
    this.answers = answers;
    this.labels = labels;
    this.targets = targets;
  }

  /** Numbers that the network answers for a sample. */
  public int width() {
    return width;
  }

  /** How many samples there are. */
  public int samples() {
    return answers.length / width;
  }

  /** Whether targets are values. */
  public boolean regression() {
    return targets.length > 0;
  }

  /** The class of a sample. */
  public int label(int sample) {
    return labels[sample];
  }

  /** What the network answers for a sample. */
  public double[] answer(int sample) {
    return row(answers, sample);
  }

  /** The right values of a sample. */
  public double[] targets(int sample) {
    return row(targets, sample);
  }

  private double[] row(float[] all, int sample) {
    double[] row = new double[width];
    for (int i = 0; i < width; i++) {
      row[i] = all[sample * width + i];
    }
    return row;
  }

  /** Whether others are about the same samples, as far as targets tell. */
  public boolean sameTargets(RunOutputs other) {
    return samples() == other.samples()
        && Arrays.equals(labels, other.labels)
        && close(targets, other.targets);
  }

  /** Targets come out of each run's own units: equal but for rounding. */
  private static boolean close(float[] one, float[] other) {
    for (int i = 0; i < one.length; i++) {
      if (Math.abs(one[i] - other[i]) > 1e-3 * Math.max(1, Math.abs(one[i]))) {
        return false;
      }
    }
    return one.length == other.length;
  }

  /** Asks a run, which is open in one process. */
  public static RunOutputs of(SavedRun run, RecordSource source) {
    TrainingConfig config = run.config();
    int width = config.network().classes();
    boolean regression = config.regression();
    long numbers = source.size() * width;
    if (numbers > Integer.MAX_VALUE - 8) {
      throw new WorkFailedException(
          "%,d records with %,d answers each do not fit into memory"
              .formatted(source.size(), width));
    }
    int samples = (int) source.size();
    float[] answers = new float[samples * width];
    int[] labels = new int[regression ? 0 : samples];
    float[] targets = new float[regression ? samples * width : 0];
    Steps steps =
        new Steps(
            new SampleOrder(new Seed(0), samples, Shuffle.NONE),
            config.validation().batch(),
            EpochEnd.EXACT);
    int at = 0;
    try (Loader loader =
            new Loader(
                source,
                steps,
                config.testPreparation(),
                Plan.alone(steps.stepsFor(1)),
                config.data().loader());
        Arena arena = Arena.ofConfined()) {
      MemorySegment scores =
          arena.allocate((long) config.validation().batch() * width * Float.BYTES, 64);
      while (loader.hasNext()) {
        Batch batch = loader.next();
        if (batch.skipped() > 0) {
          throw new WorkFailedException(
              "the members of an ensemble must answer the same samples, but %d records are bad"
                  .formatted(batch.skipped()));
        }
        MemorySegment own = scores.asSlice(0, (long) batch.count() * width * Float.BYTES);
        run.predict(batch.images(), batch.count(), own);
        for (int i = 0; i < batch.count(); i++) {
          MemorySegment one = own.asSlice((long) i * width * Float.BYTES);
          if (regression) {
            Normalisation units = config.data().targetNormalisation();
            values(one, units, answers, (at + i) * width, width);
            long from = (long) i * width * Float.BYTES;
            values(batch.labels().asSlice(from), units, targets, (at + i) * width, width);
          } else {
            probabilities(one, answers, (at + i) * width, width);
            labels[at + i] = Math.toIntExact(batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i));
          }
        }
        at += batch.count();
      }
    }
    return new RunOutputs(width, answers, labels, targets);
  }

  private static void values(
      MemorySegment normalised, Normalisation units, float[] into, int from, int width) {
    for (int i = 0; i < width; i++) {
      int unit = units.means().size() == 1 ? 0 : i;
      double value = normalised.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      into[from + i] = (float) (value * units.deviations().get(unit) + units.means().get(unit));
    }
  }

  /** The softmax of scores. */
  private static void probabilities(MemorySegment scores, float[] into, int from, int width) {
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < width; i++) {
      most = Math.max(most, scores.getAtIndex(ValueLayout.JAVA_FLOAT, i));
    }
    double sum = 0;
    double[] shares = new double[width];
    for (int i = 0; i < width; i++) {
      shares[i] = Math.exp(scores.getAtIndex(ValueLayout.JAVA_FLOAT, i) - most);
      sum += shares[i];
    }
    for (int i = 0; i < width; i++) {
      into[from + i] = (float) (shares[i] / sum);
    }
  }
}
