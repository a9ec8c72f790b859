package dev.tandem.comm.collective;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.Map;

/**
 * How much the bits of a reduction may depend on. Whatever the level, all ranks of one call get the
 * same bits. The third level, {@code elastic}, is a call of its own: {@link
 * Collectives#elasticAllreduce}.
 */
public enum Determinism {
  /** Any algorithm: the bits may depend on the length of the message and the place in it. */
  FAST("fast"),
  /**
   * The same ranks on the same hosts get the same bits, whatever the lengths of messages, what is
   * fused with what, or the timing: every element is reduced in rank order within each host, and
   * then the hosts in the order of their first ranks.
   */
  RUN("run");

  /** The environment variable that chooses. */
  public static final String VARIABLE = "TANDEM_DETERMINISM";

  private final String code;

  Determinism(String code) {
    this.code = code;
  }

  /** The name in tables and variables. */
  public String code() {
    return code;
  }

  /** What the variables ask for, or {@link #RUN}. */
  public static Determinism of(Map<String, String> variables) {
    String wanted = variables.getOrDefault(VARIABLE, RUN.code);
    return Arrays.stream(values())
        .filter(level -> level.code.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException("%s must be fast or run, not '%s'".formatted(VARIABLE, wanted)));
  }
}
