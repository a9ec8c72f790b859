package dev.tandem.ensemble.drive;

import dev.tandem.data.share.ShareStatus;
import dev.tandem.data.share.ShareStatus.Taker;
import dev.tandem.ensemble.Pipeline;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Chooses, again and again, how many threads prepare samples and which pipeline that makes: as many
 * as the fastest consumer needs, {@code p = ceil(r_c / r_p)}, one more while queues run empty, one
 * less while they stay full. Nothing is lost or repeated by a change, because what is prepared does
 * not depend on who prepares it. One thread.
 */
public final class AdaptivePipeline {

  /**
   * A choice.
   *
   * @param preprocessors threads that prepare samples
   */
  public record Choice(Pipeline pipeline, int preprocessors) {}

  /** Rates of one look weigh this much beside those before. */
  private static final double WEIGHT = 0.4;

  /** A preprocessor more than is needed on average. */
  private static final double RESERVE = 1.15;

  /** A queue shorter than this part of the window runs empty. */
  private static final double EMPTY = 0.02;

  private final Consumer<String> notes;
  private double secondsPerSample;
  private long prepared;
  private double busySeconds;
  private int correction;
  private Choice choice;

  /**
   * Chooses.
   *
   * @param notes takes a line for each change
   */
  public AdaptivePipeline(Consumer<String> notes) {
    this.notes = notes;
  }

  /** The choice for a share that stands like this. */
  public Choice choose(ShareStatus status) {
    long samples = status.prepared() - prepared;
    double seconds = status.busySeconds() - busySeconds;
    prepared = status.prepared();
    busySeconds = status.busySeconds();
    if (samples > 0 && seconds > 0) {
      double now = seconds / samples;
      secondsPerSample =
          secondsPerSample == 0 ? now : secondsPerSample + WEIGHT * (now - secondsPerSample);
    }
    double fastest = 0;
    double shortest = 1;
    int consumers = 0;
    for (Taker taker : status.consumers()) {
      if (taker.present()) {
        consumers++;
        fastest = Math.max(fastest, taker.rate());
        shortest = Math.min(shortest, (double) taker.queue() / status.window());
      }
    }
    int most = Math.max(1, status.threads());
    if (fastest == 0 || secondsPerSample == 0) {
      return remember(new Choice(form(most, most, consumers), most), "nothing measured yet");
    }
    correct(shortest, most);
    int needed = (int) Math.ceil(fastest * secondsPerSample * RESERVE);
    int threads = Math.clamp((long) needed + correction, 1, most);
    return remember(
        new Choice(form(threads, most, consumers), threads),
        String.format(
            Locale.ROOT,
            "the fastest consumer takes %.0f samples/s, a preprocessor makes %.0f",
            fastest,
            1 / secondsPerSample));
  }

  private void correct(double shortest, int most) {
    if (shortest < EMPTY) {
      correction = Math.min(most, correction + 1);
    } else if (shortest > 0.5) {
      correction = Math.max(0, correction - 1);
    }
  }

  private static Pipeline form(int threads, int most, int consumers) {
    if (consumers == 1) {
      return new Pipeline.Duplicated(); // nobody to share with
    }
    return threads == most ? new Pipeline.AllShared() : new Pipeline.MultiBroadcast(threads);
  }

  private Choice remember(Choice next, String why) {
    if (!next.equals(choice)) {
      notes.accept(
          "pipeline: %s with %d preprocessing threads: %s"
              .formatted(next.pipeline().word(), next.preprocessors(), why));
      choice = next;
    }
    return next;
  }
}
