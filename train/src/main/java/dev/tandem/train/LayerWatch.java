package dev.tandem.train;

import dev.tandem.nn.LayerTimer;
import dev.tandem.nn.spec.LayerPass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Times the layers of rank 0 in some early steps of a process, for one event. One thread. */
final class LayerWatch implements LayerTimer {

  /** Steps of this process before those that are timed: programs are compiled in them. */
  private static final int BEFORE = 16;

  /** Steps that are timed. */
  private static final int STEPS = 8;

  private final Phases phases;
  private final boolean wanted;
  private final Map<String, long[]> nanos = new LinkedHashMap<>();
  private int steps;

  /**
   * Nothing is timed yet.
   *
   * @param wanted whether anything will be
   */
  LayerWatch(Phases phases, boolean wanted) {
    this.phases = phases;
    this.wanted = wanted;
  }

  /** A step begins. */
  void begins() {
    steps++;
    if (wanted && steps == BEFORE + 1) {
      phases.timeLayers(Optional.of(this));
    }
  }

  /**
   * A step has ended.
   *
   * @param step its number in the run
   */
  Optional<TrainingEvent.Layers> ended(long step) {
    if (!wanted || steps != BEFORE + STEPS) {
      return Optional.empty();
    }
    phases.timeLayers(Optional.empty());
    List<TrainingEvent.LayerTime> times = new ArrayList<>();
    nanos.forEach(
        (layer, sums) ->
            times.add(
                new TrainingEvent.LayerTime(
                    layer, millis(sums[0]), millis(sums[1]), millis(sums[2]))));
    nanos.clear();
    return times.isEmpty()
        ? Optional.empty()
        : Optional.of(new TrainingEvent.Layers(step, STEPS, times));
  }

  private static float millis(long nanos) {
    return (float) (nanos / 1e6 / STEPS);
  }

  @Override
  public void took(String layer, LayerPass pass, long computing, long transferring) {
    long[] sums = nanos.computeIfAbsent(layer, _ -> new long[3]);
    sums[pass == LayerPass.FORWARD ? 0 : 1] += computing;
    sums[2] += transferring;
  }
}
