package dev.tandem.bench.oracle;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.oracle.projection.Phase;
import java.util.List;
import java.util.Map;

/**
 * A run of this machine beside its projection; times are seconds of an iteration.
 *
 * @param oversubscribed whether there were more ranks than cores
 * @param plain the projection of the published model, its equations corrected
 * @param low of the band in which the measured time is expected
 * @param parts what the measured time is made of: milliseconds of forward, backward, waiting for
 *     sums and update, where messages within the passes belong to these
 * @param phases what the projection is made of
 * @param memory bytes of tensors of the rank with most, measured
 * @param projectedMemory the same, projected
 * @param steps that were measured
 */
public record OracleRow(
    String network,
    String strategy,
    int ranks,
    boolean oversubscribed,
    int batch,
    double measured,
    double projected,
    double plain,
    double low,
    double high,
    List<Double> parts,
    Map<Phase, Double> phases,
    long memory,
    long projectedMemory,
    int steps) {

  /** In percent; negative if the projection is more than twice the measured time. */
  @JsonProperty
  public double accuracy() {
    return accuracy(projected);
  }

  /** The same of the published model. */
  @JsonProperty
  public double plainAccuracy() {
    return accuracy(plain);
  }

  private double accuracy(double seconds) {
    return 100 * (1 - Math.abs(seconds - measured) / measured);
  }

  /** In percent. */
  @JsonProperty
  public double memoryError() {
    return 100.0 * (projectedMemory - memory) / memory;
  }

  boolean covered() {
    return low <= measured && measured <= high;
  }

  /** Whether the two are ways to do the same whose times differ by more than a tenth. */
  boolean comparable(OracleRow other) {
    return network.equals(other.network)
        && batch == other.batch
        && Math.max(measured, other.measured) > 1.1 * Math.min(measured, other.measured);
  }
}
