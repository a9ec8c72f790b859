package dev.tandem.comm.topology;

import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which host hangs at which switch and stands in which rack.
 *
 * <p>As text, a line for every host: its name, {@code switch=NAME} and {@code rack=NAME}; empty
 * lines and what follows a {@code #} are ignored.
 *
 * <pre>
 * node01  switch=s1  rack=r1
 * node02  switch=s1  rack=r1
 * node03  switch=s2  rack=r1
 * </pre>
 */
public final class ClusterMap {

  /** Where a host is. */
  public record HostLocation(String networkSwitch, String rack) {}

  private static final HostLocation ONLY = new HostLocation("the only switch", "the only rack");

  private final Map<String, HostLocation> locations;

  private ClusterMap(Map<String, HostLocation> locations) {
    this.locations = locations;
  }

  /** All hosts at one switch. */
  public static ClusterMap flat() {
    return new ClusterMap(Map.of());
  }

  /** Reads a description from a file. */
  public static ClusterMap read(Path file) {
    try {
      return parse(Files.readAllLines(file), file.toString());
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /**
   * Reads a description.
   *
   * @param name what errors call it
   */
  public static ClusterMap parse(List<String> lines, String name) {
    Map<String, HostLocation> locations = new HashMap<>();
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1).replaceAll("#.*", "").strip();
      if (line.isEmpty()) {
        continue;
      }
      String[] words = line.split("\\s+", -1);
      if (words.length != 3 || !words[1].startsWith("switch=") || !words[2].startsWith("rack=")) {
        throw new UsageException(
            "%s, line %d: expected HOST switch=NAME rack=NAME, not '%s'"
                .formatted(name, number, line));
      }
      HostLocation location =
          new HostLocation(
              words[1].substring("switch=".length()), words[2].substring("rack=".length()));
      if (locations.put(words[0], location) != null) {
        throw new UsageException("%s, line %d: %s comes twice".formatted(name, number, words[0]));
      }
    }
    return new ClusterMap(Map.copyOf(locations));
  }

  /** Where a host is; in a map without hosts all are at the same location. */
  HostLocation location(String host) {
    HostLocation location = locations.isEmpty() ? ONLY : locations.get(host);
    if (location == null) {
      throw new UsageException("the cluster map has no line for host " + host);
    }
    return location;
  }
}
