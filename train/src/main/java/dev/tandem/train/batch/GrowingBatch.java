package dev.tandem.train.batch;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;

/**
 * A batch that grows when training slows down: when the mean loss over a window of samples is less
 * than a threshold below that of the window before, relative to it, the batch is multiplied, up to
 * a limit, and never shrinks. Early on, where every update counts, batches stay small; later, where
 * updates change little, fewer of them with more samples each take less time.
 *
 * <p>The loss after a change is not compared with the loss before it: the first window at a new
 * size only says where it begins.
 *
 * <p>The learning rate is not this policy's: a schedule that is meant for a batch ({@code
 * schedule.for-batch}) scales it linearly with the batch, otherwise it stays as it was.
 */
public final class GrowingBatch implements BatchSizing {

  /**
   * The numbers of the policy.
   *
   * @param limit the largest batch
   * @param factor by which a batch grows
   * @param threshold the relative fall of the loss from window to window that is still enough
   * @param windowSamples how many samples' losses are averaged; a good part of an epoch, since the
   *     loss of single steps jumps
   */
  public record Settings(
      int limit,
      @Default("2") int factor,
      @Default("0.05") double threshold,
      @Default("15000") long windowSamples) {

    public Settings {
      if (limit < 1) {
        throw new UsageException("limit is " + limit + ", expected 1 or more");
      }
      if (factor < 2) {
        throw new UsageException("factor is " + factor + ", expected 2 or more");
      }
      if (!(threshold > 0 && threshold < 1)) {
        throw new UsageException(
            "threshold is " + threshold + ", expected more than 0 and less than 1");
      }
      if (windowSamples < 1) {
        throw new UsageException("window-samples is " + windowSamples + ", expected 1 or more");
      }
    }
  }

  private static final String UNKNOWN = "-";

  private final Settings settings;
  private long samplesBefore;
  private long windowSamples;
  private double windowLoss;
  private double lastMean = Double.NaN;

  public GrowingBatch(Settings settings) {
    this.settings = settings;
  }

  @Override
  public int next(BatchObservation observation) {
    long samples = observation.samples() - samplesBefore;
    samplesBefore = observation.samples();
    windowSamples += samples;
    windowLoss += observation.loss() * samples;
    if (windowSamples < settings.windowSamples()) {
      return observation.batch();
    }
    double mean = windowLoss / windowSamples;
    boolean slow = lastMean - mean < settings.threshold() * lastMean;
    windowSamples = 0;
    windowLoss = 0;
    // Comparisons with a first window that is not a number are false.
    if (slow && observation.batch() < settings.limit()) {
      lastMean = Double.NaN;
      return grown(observation.batch());
    }
    lastMean = mean;
    return observation.batch();
  }

  private int grown(int batch) {
    return (int) Math.min(settings.limit(), (long) batch * settings.factor());
  }

  @Override
  public String save() {
    return "%d %d %s %s"
        .formatted(
            samplesBefore,
            windowSamples,
            Double.toString(windowLoss),
            Double.isNaN(lastMean) ? UNKNOWN : Double.toString(lastMean));
  }

  @Override
  public void restore(String saved) {
    String[] fields = saved.split(" ", -1);
    if (fields.length != 4) {
      throw new UsageException("this is no state of a growing batch: '%s'".formatted(saved));
    }
    try {
      samplesBefore = Long.parseLong(fields[0]);
      windowSamples = Long.parseLong(fields[1]);
      windowLoss = Double.parseDouble(fields[2]);
      lastMean = fields[3].equals(UNKNOWN) ? Double.NaN : Double.parseDouble(fields[3]);
    } catch (NumberFormatException e) {
      throw new UsageException("this is no state of a growing batch: '%s'".formatted(saved));
    }
  }
}
