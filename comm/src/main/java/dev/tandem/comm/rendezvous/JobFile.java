package dev.tandem.comm.rendezvous;

import dev.tandem.comm.topology.HostSlots;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A job described by a file of properties, for processes that no launcher of ours starts: each is
 * told the file and its rank. The file holds the secret of the job, so only its owner may read it.
 *
 * @param size how many ranks the job has
 * @param rendezvous where the ranks meet
 * @param secret what proves that a process belongs to the job
 * @param hosts the name of the host of every rank
 * @param openedByRankZero whether rank 0 opens the meeting point, or someone else does
 */
public record JobFile(
    int size,
    InetSocketAddress rendezvous,
    JobSecret secret,
    List<String> hosts,
    boolean openedByRankZero) {

  /** The environment variable that names the file. */
  public static final String VARIABLE = "TANDEM_JOB_FILE";

  private static final String RANKS = "ranks";
  private static final String RENDEZVOUS = "rendezvous";
  private static final String SECRET = "secret";
  private static final String HOSTS = "hosts";
  private static final String OPENED_BY = "opened-by";
  private static final Set<String> KEYS = Set.of(RANKS, RENDEZVOUS, SECRET, HOSTS, OPENED_BY);
  private static final Set<PosixFilePermission> FORBIDDEN =
      Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

  public JobFile {
    hosts = List.copyOf(hosts);
  }

  /** The file that these variables name, if no launcher has said the same in variables. */
  public static Optional<JobFile> of(Map<String, String> variables) {
    return variables.containsKey(VARIABLE) && !variables.containsKey(JobEnvironment.RENDEZVOUS)
        ? Optional.of(read(Path.of(variables.get(VARIABLE))))
        : Optional.empty();
  }

  /**
   * Reads a file.
   *
   * @throws UsageException if it cannot be read, others can read it too, or it makes no sense
   */
  public static JobFile read(Path file) {
    Properties properties = new Properties();
    try {
      if (!Collections.disjoint(Files.getPosixFilePermissions(file), FORBIDDEN)) {
        throw new UsageException(
            "job file %s holds the secret of the job and others may read it: chmod 600 %s"
                .formatted(file, file));
      }
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
    } catch (NoSuchFileException e) {
      throw new UsageException("job file %s does not exist".formatted(file));
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException("cannot read job file %s: %s".formatted(file, e.getMessage()));
    }
    return new Fields(file, properties).job();
  }

  /** The place of this rank in the job. */
  public JobEnvironment environment(int rank) {
    if (rank < 0 || rank >= size) {
      throw new UsageException("rank %d of %d does not exist".formatted(rank, size));
    }
    return new JobEnvironment(
        rank, size, rendezvous, secret, hosts.get(rank), true, Optional.empty());
  }

  /** The meeting point, if this rank has to open it; to be closed when it has joined. */
  public Optional<RendezvousHost> open(
      int rank, Optional<TlsKeys> tls, Duration patience, Consumer<String> log) {
    return rank == 0 && openedByRankZero
        ? Optional.of(RendezvousHost.open(size, secret, tls, rendezvous, patience, log))
        : Optional.empty();
  }

  /** What a file says, with messages that name it. */
  private record Fields(Path file, Properties properties) {

    JobFile job() {
      Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
      unknown.removeAll(KEYS);
      if (!unknown.isEmpty()) {
        throw failure("nobody knows key '%s'".formatted(unknown.iterator().next()));
      }
      int size = size();
      return new JobFile(size, rendezvous(), secret(), hosts(size), openedByRankZero());
    }

    private int size() {
      String text = required(RANKS);
      try {
        int size = Integer.parseInt(text);
        if (size >= 1 && size <= HostSlots.MAXIMUM_RANKS) {
          return size;
        }
      } catch (NumberFormatException e) {
        // Said below, as of a number out of range.
      }
      throw failure(
          "key 'ranks' must be a number from 1 to %d, not '%s'"
              .formatted(HostSlots.MAXIMUM_RANKS, text));
    }

    private InetSocketAddress rendezvous() {
      try {
        InetSocketAddress address = Addresses.parse(required(RENDEZVOUS));
        if (address.getPort() > 0) {
          return address;
        }
      } catch (IllegalArgumentException e) {
        throw failure("key 'rendezvous': " + e.getMessage());
      }
      throw failure("key 'rendezvous' needs a port that all ranks know, not 0");
    }

    private JobSecret secret() {
      try {
        return JobSecret.ofHex(required(SECRET));
      } catch (IllegalArgumentException e) {
        throw failure("key 'secret' must be 64 hexadecimal digits");
      }
    }

    private List<String> hosts(int size) {
      String text = properties.getProperty(HOSTS);
      if (text == null) {
        return Collections.nCopies(size, JobEnvironment.ONE_HOST);
      }
      List<String> hosts = HostSlots.parse("job file %s: key 'hosts'".formatted(file), text);
      if (hosts.size() != size) {
        throw failure("key 'hosts' has room for %d ranks, not %d".formatted(hosts.size(), size));
      }
      return hosts;
    }

    private boolean openedByRankZero() {
      String opener = properties.getProperty(OPENED_BY, "rank-0");
      return switch (opener) {
        case "rank-0" -> true;
        case "other" -> false;
        default ->
            throw failure("key 'opened-by' must be rank-0 or other, not '%s'".formatted(opener));
      };
    }

    private String required(String key) {
      String value = properties.getProperty(key);
      if (value == null) {
        throw failure("key '%s' is missing".formatted(key));
      }
      return value.strip();
    }

    private UsageException failure(String what) {
      return new UsageException("job file %s: %s".formatted(file, what));
    }
  }
}
