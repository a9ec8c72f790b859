package dev.tandem.comm.rendezvous;

import dev.tandem.core.UsageException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a process knows about its job when it starts, as the launcher put it into environment
 * variables.
 *
 * @param rank the number of this process, from 0
 * @param size how many processes the job has
 * @param rendezvous where the launcher waits for all to join
 * @param secret what proves that a process belongs to the job
 * @param host the name of the host it runs on: ranks of the same name share memory
 * @param mayBeEarly whether it may start before its meeting point opens, so that it tries again
 * @param tls what its connections are encrypted with, if they are
 */
public record JobEnvironment(
    int rank,
    int size,
    InetSocketAddress rendezvous,
    JobSecret secret,
    String host,
    boolean mayBeEarly,
    Optional<TlsKeys> tls) {

  /** The host of every rank whose job names none. */
  public static final String ONE_HOST = "localhost";

  public static final String RANK = "TANDEM_RANK";
  public static final String SIZE = "TANDEM_SIZE";
  public static final String RENDEZVOUS = "TANDEM_RENDEZVOUS";
  public static final String SECRET = "TANDEM_SECRET";
  public static final String HOST = "TANDEM_HOST";

  private static final int MAXIMUM_HOST = 255;

  public JobEnvironment {
    if (size < 1 || rank < 0 || rank >= size) {
      throw new UsageException("rank %d of %d does not exist".formatted(rank, size));
    }
    if (host.isBlank() || host.getBytes(StandardCharsets.UTF_8).length > MAXIMUM_HOST) {
      throw new UsageException(
          "the name of a host has 1 to %d bytes, unlike '%s'".formatted(MAXIMUM_HOST, host));
    }
  }

  /** A rank of a job whose ranks are all on one host. */
  public JobEnvironment(int rank, int size, InetSocketAddress rendezvous, JobSecret secret) {
    this(rank, size, rendezvous, secret, ONE_HOST, false, Optional.empty());
  }

  /** The same rank on a host of this name. */
  public JobEnvironment on(String name) {
    return new JobEnvironment(rank, size, rendezvous, secret, name, mayBeEarly, tls);
  }

  /** The same rank with connections that are encrypted with these keys, or with none. */
  public JobEnvironment over(Optional<TlsKeys> keys) {
    return new JobEnvironment(rank, size, rendezvous, secret, host, mayBeEarly, keys);
  }

  /** The rank that these variables give to this process. */
  public static int rank(Map<String, String> variables) {
    if (!variables.containsKey(RANK)) {
      throw new UsageException("%s must say which rank of the job this is".formatted(RANK));
    }
    return number(variables, RANK);
  }

  /** The job that these variables describe; empty if they do not speak of one. */
  public static Optional<JobEnvironment> of(Map<String, String> variables) {
    if (!variables.containsKey(RANK)) {
      return Optional.empty();
    }
    return Optional.of(
        new JobEnvironment(
            number(variables, RANK),
            number(variables, SIZE),
            address(required(variables, RENDEZVOUS)),
            secret(required(variables, SECRET)),
            variables.getOrDefault(HOST, ONE_HOST),
            false,
            TlsKeys.of(variables)));
  }

  /**
   * The variables from which {@link #of} makes the same job; those of {@link TlsKeys} a process
   * inherits.
   */
  public Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(RANK, Integer.toString(rank));
    variables.put(SIZE, Integer.toString(size));
    variables.put(RENDEZVOUS, Addresses.text(rendezvous));
    variables.put(SECRET, secret.hex());
    variables.put(HOST, host);
    return variables;
  }

  private static String required(Map<String, String> variables, String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new UsageException(
          "%s is set but %s is not: start the process with the launcher".formatted(RANK, name));
    }
    return value;
  }

  private static int number(Map<String, String> variables, String name) {
    String value = required(variables, name);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new UsageException("%s must be a number, not '%s'".formatted(name, value));
    }
  }

  private static InetSocketAddress address(String text) {
    try {
      return Addresses.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("%s: %s".formatted(RENDEZVOUS, e.getMessage()));
    }
  }

  private static JobSecret secret(String hex) {
    try {
      return JobSecret.ofHex(hex);
    } catch (IllegalArgumentException e) {
      throw new UsageException(SECRET + " is not a job secret of 64 hexadecimal digits");
    }
  }
}
