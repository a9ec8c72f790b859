package dev.tandem.oracle.projection;

import dev.tandem.parallel.cost.PlanMemory;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How one way to train will go.
 *
 * @param workload what is trained
 * @param seconds of an iteration, by what they go into
 * @param memory of the rank that needs most
 * @param spread relative standard deviation of the iteration's time, from the spread of what was
 *     measured
 * @param layers what each layer takes of the passes, in the network's order; of a pipeline those of
 *     all stages
 * @param estimated share of the compute time that comes from estimates, not from measurements of
 *     these very layers
 * @param replicated share of the compute time in layers that all ranks of the inner axes make whole
 * @param notes layers that could not be split, and why
 */
public record Projection(
    Workload workload,
    Candidate candidate,
    Map<Phase, Double> seconds,
    PlanMemory memory,
    double spread,
    List<LayerSpan> layers,
    double estimated,
    double replicated,
    List<String> notes) {

  /**
   * What a layer takes in an iteration, in seconds.
   *
   * @param exchange of what travels to this layer, with packing
   */
  public record LayerSpan(String layer, double forward, double backward, double exchange) {

    /** All of it. */
    public double total() {
      return forward + backward + exchange;
    }
  }

  public Projection {
    Map<Phase, Double> all = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      all.put(phase, seconds.getOrDefault(phase, 0.0));
    }
    seconds = Collections.unmodifiableMap(all);
    layers = layers instanceof LayerSpans ? layers : List.copyOf(layers);
    notes = List.copyOf(notes);
  }

  /** Seconds of an iteration. */
  public double iteration() {
    return seconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Seconds of an epoch. */
  public double epoch() {
    return iteration() * workload.iterations();
  }

  /** Seconds of an iteration in a part. */
  public double part(Phase.Part part) {
    return seconds.entrySet().stream()
        .filter(entry -> entry.getKey().part() == part)
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Seconds of an iteration in communication and waiting. */
  public double communication() {
    return seconds.entrySet().stream()
        .filter(entry -> entry.getKey().communication())
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Samples per second over all ranks. */
  public double samplesPerSecond() {
    return workload.batch() / iteration();
  }
}
