package dev.tandem.comm.collective;

import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What was chosen for the collectives of a job; the same in all its ranks.
 *
 * @param determinism the level of communicators that ask for none
 * @param table which algorithm to use when
 * @param forced one algorithm for every allreduce instead
 */
public record CollectiveSettings(
    Determinism determinism, AlgorithmTable table, Optional<AllreduceAlgorithm> forced) {

  /** The environment variable that names a file with a table. */
  public static final String TABLE = "TANDEM_COLLECTIVE_TABLE";

  /** The environment variable that forces one algorithm for every allreduce. */
  public static final String FORCED = "TANDEM_ALLREDUCE";

  public static final CollectiveSettings DEFAULT =
      new CollectiveSettings(Determinism.RUN, AlgorithmTable.BUILT_IN, Optional.empty());

  public CollectiveSettings {
    checkForced(forced, determinism);
  }

  /** What these variables say, or the defaults. */
  public static CollectiveSettings of(Map<String, String> variables) {
    Optional<String> file = Optional.ofNullable(variables.get(TABLE));
    return new CollectiveSettings(
        Determinism.of(variables),
        file.map(Path::of).map(AlgorithmTable::read).orElse(AlgorithmTable.BUILT_IN),
        Optional.ofNullable(variables.get(FORCED)).map(CollectiveSettings::algorithm));
  }

  private static AllreduceAlgorithm algorithm(String code) {
    return AllreduceAlgorithm.ofCode(code)
        .orElseThrow(
            () ->
                new UsageException(
                    "%s must be one of %s, not '%s'"
                        .formatted(FORCED, AllreduceAlgorithm.codes(), code)));
  }

  private static void checkForced(Optional<AllreduceAlgorithm> forced, Determinism level) {
    if (forced.isPresent() && !forced.get().keeps(level)) {
      throw new UsageException(
          "%s=%s does not keep determinism level %s: set %s=fast"
              .formatted(FORCED, forced.get().code(), level.code(), Determinism.VARIABLE));
    }
  }

  /** The same at another level. */
  public CollectiveSettings at(Determinism level) {
    return new CollectiveSettings(level, table, forced);
  }

  /** The same with one algorithm for every allreduce. */
  public CollectiveSettings forcing(AllreduceAlgorithm algorithm) {
    return new CollectiveSettings(determinism, table, Optional.of(algorithm));
  }

  /** The algorithm for an allreduce; the same in all ranks of a team. */
  public AllreduceAlgorithm allreduce(TeamPosition position, long bytes, Determinism level) {
    if (forced.isEmpty() || position.size() == 1) {
      return table.allreduce(level, position, bytes);
    }
    checkForced(forced, level);
    checkApplies(position);
    return forced.get();
  }

  /** Refuses a forced algorithm that a team cannot use. */
  public void checkApplies(TeamPosition position) {
    if (forced.isPresent() && position.size() > 1 && !forced.get().appliesTo(position)) {
      throw new UsageException(
          "%s=%s does not apply to these %d ranks: it needs %s"
              .formatted(
                  FORCED,
                  forced.get().code(),
                  position.size(),
                  forced.get() == AllreduceAlgorithm.FLAT
                      ? "memory that all of them share"
                      : "several hosts with several ranks on one of them"));
    }
  }

  /** A number that is the same for the same settings, and for others hardly ever. */
  public long fingerprint() {
    return CallFingerprint.of(
        CollectiveSettings.class,
        new long[] {determinism.code().hashCode(), table.fingerprint()},
        forced.map(AllreduceAlgorithm::code).orElse("").hashCode());
  }
}
