package dev.tandem.sync.trace;

import java.nio.file.Path;
import java.util.Map;

/**
 * The window in which a step is susceptible to computational imbalance (CIS, 6.4 of the thesis that
 * seed 000 is): the network is being computed, input threads are active, too, and nothing of the
 * step was transferred yet. Whatever takes a core from the engine in there makes this rank late. A
 * share of a step of zero means that the input has cores of its own or is idle by then.
 *
 * <p>Input threads count as active while they are on a core or wait for one; where there are
 * several, the most active one counts. Reading that costs some files, so one step in a few is
 * looked at.
 *
 * <p>Guarded by the lock of the {@link StepMeter}.
 */
final class CisWindow {

  private static final int EVERY = 8;

  private final InputActivity input;
  private long step;
  private boolean open;
  private long began;
  private Map<Path, Long> activeAtBegin = Map.of();
  private long windowNanos;
  private long stepNanos;

  CisWindow(InputActivity input) {
    this.input = input;
  }

  /** The network begins to compute. */
  void computes(long nanos) {
    open = step++ % EVERY == 0;
    if (open) {
      activeAtBegin = input.read();
      began = nanos;
    }
  }

  /** Something is transferred, or the rank has computed everything: the window is over. */
  void closes(long nanos) {
    if (open) {
      open = false;
      long window = Math.max(0, nanos - began);
      windowNanos += Math.min(window, InputActivity.longest(activeAtBegin, input.read()));
    }
  }

  /** A step is over, which took so long. */
  void ends(long nanos) {
    if (step > 0 && (step - 1) % EVERY == 0) {
      stepNanos += nanos;
    }
  }

  /** The share of the window in a step since the last reading, 0 to 1; counts from here again. */
  double readShare() {
    double share = stepNanos == 0 ? 0 : Math.min(1, (double) windowNanos / stepNanos);
    windowNanos = 0;
    stepNanos = 0;
    return share;
  }
}
