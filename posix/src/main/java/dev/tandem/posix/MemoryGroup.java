package dev.tandem.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The control group that counts the memory of this process, of version 2 or 1. Thread-safe. */
public final class MemoryGroup {

  private final Optional<Path> folder;

  /**
   * A process's group.
   *
   * @param memberships what the kernel says of the process, {@code /proc/PID/cgroup}
   * @param groups the folder of all groups
   */
  MemoryGroup(Path memberships, Path groups) {
    folder = folder(memberships, groups);
  }

  /** That of this process. */
  public static MemoryGroup own() {
    return new MemoryGroup(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
  }

  private static Optional<Path> folder(Path memberships, Path groups) {
    for (String line : lines(memberships)) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && (parts[1].isEmpty() || parts[1].equals("memory"))) {
        Path all = groups.resolve(parts[1]);
        // In a container its own group may be the only one that is seen.
        for (Path group : List.of(all.resolve(parts[2].substring(1)), all)) {
          if (Files.exists(group.resolve("memory.stat"))) {
            return Optional.of(group);
          }
        }
      }
    }
    return Optional.empty();
  }

  /** How many of its processes the kernel has ended for lack of memory; 0 if it does not say. */
  public long kills() {
    return number(file("memory.events"), "oom_kill ")
        + number(file("memory.oom_control"), "oom_kill ");
  }

  /** Bytes of its processes that are not a copy of a file. */
  long held() {
    List<String> counters = file("memory.stat");
    return number(counters, "anon ")
        + number(counters, "total_rss ")
        + Math.max(number(counters, "shmem "), number(counters, "total_shmem "));
  }

  private List<String> file(String name) {
    return folder.map(group -> lines(group.resolve(name))).orElse(List.of());
  }

  static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The number after this beginning of a line; 0 if there is no such line. */
  static long number(List<String> lines, String name) {
    for (String line : lines) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.substring(name.length()).replace("kB", "").strip());
      }
    }
    return 0;
  }
}
