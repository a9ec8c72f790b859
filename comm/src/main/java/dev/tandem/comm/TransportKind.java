package dev.tandem.comm;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.Map;

/** How the processes of a job are connected. */
public enum TransportKind {
  /** Memory that the processes of one host share. */
  SHARED_MEMORY("shm"),
  /** TCP connections. */
  TCP("tcp");

  /** The environment variable that chooses. */
  public static final String VARIABLE = "TANDEM_TRANSPORT";

  private final String code;

  TransportKind(String code) {
    this.code = code;
  }

  /** What the variables ask for, or shared memory. */
  static TransportKind of(Map<String, String> variables) {
    String wanted = variables.getOrDefault(VARIABLE, SHARED_MEMORY.code);
    return Arrays.stream(values())
        .filter(kind -> kind.code.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException("%s must be shm or tcp, not '%s'".formatted(VARIABLE, wanted)));
  }
}
