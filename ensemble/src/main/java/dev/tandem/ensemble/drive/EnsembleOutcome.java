package dev.tandem.ensemble.drive;

import dev.tandem.data.share.ShareStatus;
import dev.tandem.ensemble.EnsembleRecord;
import java.util.List;
import java.util.Optional;

/**
 * What came of an ensemble. Immutable.
 *
 * @param record its members as they ended
 * @param errors of those that failed, by name
 * @param restarts processes that were lost and started again
 * @param seconds from its first process to the end of its last
 * @param cpuSeconds of processors, of all its processes
 * @param energy of the processors' packages; empty where nothing measures it
 * @param share how the share stood at the end; empty if there was none
 */
public record EnsembleOutcome(
    EnsembleRecord record,
    List<String> errors,
    int restarts,
    double seconds,
    double cpuSeconds,
    Optional<Energy> energy,
    Optional<ShareStatus> share) {

  /**
   * What the processors' packages used.
   *
   * @param joules in all
   * @param aboveIdle those of them that the machine did not use before the ensemble began
   */
  public record Energy(double joules, double aboveIdle) {}

  public EnsembleOutcome {
    errors = List.copyOf(errors);
  }
}
