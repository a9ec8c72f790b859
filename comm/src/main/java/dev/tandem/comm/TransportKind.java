package dev.tandem.comm;

import dev.tandem.comm.topology.Topology;
import dev.tandem.comm.transport.HybridTransport;
import dev.tandem.comm.transport.SharedMemoryTransport;
import dev.tandem.comm.transport.TcpTransport;
import dev.tandem.comm.transport.Transport;
import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** How the processes of a job are connected. */
public enum TransportKind {
  /** Shared memory if all are on one host, else hybrid. */
  AUTOMATIC("auto"),
  /** Memory that the processes of one host share. */
  SHARED_MEMORY("shm"),
  /** TCP connections. */
  TCP("tcp"),
  /** Shared memory inside each host, TCP between hosts. */
  HYBRID("hybrid");

  /** The environment variable that chooses. */
  public static final String VARIABLE = "TANDEM_TRANSPORT";

  private final String code;

  TransportKind(String code) {
    this.code = code;
  }

  /** What the variables ask for, or automatic. */
  static TransportKind of(Map<String, String> variables) {
    return of(VARIABLE, variables.getOrDefault(VARIABLE, AUTOMATIC.code));
  }

  /**
   * The kind of this code.
   *
   * @param option who asks, for the message if there is no such kind
   */
  public static TransportKind of(String option, String wanted) {
    return Arrays.stream(values())
        .filter(kind -> kind.code.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "%s must be one of %s, not '%s'"
                        .formatted(
                            option,
                            Arrays.stream(values())
                                .map(TransportKind::code)
                                .collect(Collectors.joining(", ")),
                            wanted)));
  }

  /** The name by which variables and options know this kind. */
  public String code() {
    return code;
  }

  /** A transport of this kind over these connections, which it owns; closed if it throws. */
  Transport over(TcpTransport connections) {
    Topology topology = connections.topology();
    return switch (this) {
      case AUTOMATIC ->
          topology.hosts() == 1
              ? SharedMemoryTransport.over(connections)
              : HybridTransport.over(connections);
      case SHARED_MEMORY -> {
        if (topology.hosts() > 1) {
          connections.close();
          throw new UsageException(
              "transport shm needs all ranks on one host, but they are on %d: use hybrid or tcp"
                  .formatted(topology.hosts()));
        }
        yield SharedMemoryTransport.over(connections);
      }
      case TCP -> connections;
      case HYBRID -> HybridTransport.over(connections);
    };
  }
}
