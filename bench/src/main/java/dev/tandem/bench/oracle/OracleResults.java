package dev.tandem.bench.oracle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;

/**
 * What {@code tandem bench oracle} found out.
 *
 * @param machine null if it was not asked for; likewise published
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OracleResults(Machine machine, Published published) {

  /**
   * Runs of this machine.
   *
   * @param description of the machine
   * @param plain how well the published model does, its equations corrected
   * @param largestMemoryError in percent, without its sign
   */
  public record Machine(
      String description,
      @JsonUnwrapped OracleScore score,
      OracleScore plain,
      double largestMemoryError,
      List<OracleRow> rows) {

    public Machine {
      rows = List.copyOf(rows);
    }
  }

  /**
   * Published measurements, each projected by a calibration that has not seen its fold.
   *
   * @param score means of both splits
   * @param leavingOutScales folds are numbers of devices
   * @param leavingOutModels folds are networks
   * @param notScored measurements that cannot be projected, and why
   */
  public record Published(
      @JsonUnwrapped OracleScore score,
      OracleScore leavingOutScales,
      OracleScore leavingOutModels,
      OracleScore plain,
      List<String> notScored) {

    public Published {
      notScored = List.copyOf(notScored);
    }
  }
}
