package dev.tandem.train;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import java.util.List;
import java.util.Optional;

/** The listeners of a run, and whether one of them has asked to stop. */
final class Listeners implements RunControl {

  private final List<TrainingListener> listeners;
  private Optional<String> stopped = Optional.empty();

  Listeners(List<TrainingListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Lets all of them know. */
  synchronized void take(TrainingEvent event) {
    for (TrainingListener listener : listeners) {
      call(
          () -> {
            if (event instanceof TrainingEvent.Step step) {
              listener.onStep(step, this);
            } else if (event instanceof TrainingEvent.Epoch validation) {
              listener.onValidation(validation, this);
            } else if (event instanceof TrainingEvent.Checkpoint checkpoint) {
              listener.onCheckpoint(checkpoint, this);
            }
          });
    }
  }

  synchronized void end(TrainingResult result) {
    listeners.forEach(listener -> call(() -> listener.onEnd(result)));
  }

  private static void call(Runnable listener) {
    try {
      listener.run();
    } catch (TandemException e) {
      throw e;
    } catch (RuntimeException e) {
      e.printStackTrace();
      throw new WorkFailedException("a listener failed: " + e, e);
    }
  }

  @Override
  public synchronized void stop(String reason) {
    if (stopped.isEmpty()) {
      stopped = Optional.of(reason);
    }
  }

  /** Why the run was stopped by one of them, if it was. */
  synchronized Optional<String> stopped() {
    return stopped;
  }
}
