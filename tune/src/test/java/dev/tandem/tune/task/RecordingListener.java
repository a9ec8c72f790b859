package dev.tandem.tune.task;

import dev.tandem.tune.prune.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Remembers what it hears; stops tasks that report {@code stopAt} or a later step. */
public final class RecordingListener implements TaskListener {

  /** What it has waited for. */
  public final List<String> waited = Collections.synchronizedList(new ArrayList<>());

  /** Attempts that have started. */
  public final List<Attempt> started = Collections.synchronizedList(new ArrayList<>());

  /** Steps of reports. */
  public final List<Long> steps = Collections.synchronizedList(new ArrayList<>());

  /** Metrics of reports. */
  public final List<Map<String, Double>> metrics = Collections.synchronizedList(new ArrayList<>());

  /** Paths of checkpoints. */
  public final List<String> checkpoints = Collections.synchronizedList(new ArrayList<>());

  /** Notes. */
  public final List<String> notes = Collections.synchronizedList(new ArrayList<>());

  /** Endings of attempts. */
  public final List<Ending> endings = Collections.synchronizedList(new ArrayList<>());

  /** Open when the first report has come. */
  public final CountDownLatch reported = new CountDownLatch(1);

  private final long stopAt;

  /** One that stops nothing. */
  public RecordingListener() {
    this(Long.MAX_VALUE);
  }

  /** One that stops tasks from this step on. */
  public RecordingListener(long stopAt) {
    this.stopAt = stopAt;
  }

  @Override
  public void waits(String what) {
    waited.add(what);
  }

  @Override
  public void started(Attempt attempt) {
    started.add(attempt);
  }

  @Override
  public Decision report(Attempt attempt, long step, Map<String, Double> values) {
    steps.add(step);
    metrics.add(values);
    reported.countDown();
    return step >= stopAt ? new Decision.Stop("enough") : Decision.GO_ON;
  }

  @Override
  public void checkpoint(Attempt attempt, long step, String path) {
    checkpoints.add(path);
  }

  @Override
  public void note(Attempt attempt, String text) {
    notes.add(text);
  }

  @Override
  public void ended(Attempt attempt, Ending ending) {
    endings.add(ending);
  }
}
