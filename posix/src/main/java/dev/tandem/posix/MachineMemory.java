package dev.tandem.posix;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The memory of this machine, or of the container that the process runs in. */
public final class MachineMemory {

  private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");

  private MachineMemory() {}

  /** All of it, used or not. */
  public static long bytes() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  /**
   * What processes and the page cache can still get: what the kernel calls available, and within a
   * limit of a control group no more than that limit leaves beside the memory of its processes.
   */
  public static long available() {
    List<String> machine = lines(Path.of("/proc/meminfo"));
    long free = number(machine, "MemAvailable:") << 10;
    if (free == 0) {
      return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
          .getFreeMemorySize();
    }
    long limit = bytes();
    if (limit >= number(machine, "MemTotal:") << 10) {
      return free;
    }
    return Math.max(0, Math.min(free, limit - held()));
  }

  /** Bytes of this control group's processes that are not a copy of a file; versions 2 and 1. */
  private static long held() {
    for (String line : lines(Path.of("/proc/self/cgroup"))) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && (parts[1].isEmpty() || parts[1].equals("memory"))) {
        Path group = CONTROL_GROUPS.resolve(parts[1]);
        for (Path folder : List.of(group.resolve(parts[2].substring(1)), group)) {
          List<String> counters = lines(folder.resolve("memory.stat"));
          if (!counters.isEmpty()) {
            return number(counters, "anon ")
                + number(counters, "total_rss ")
                + Math.max(number(counters, "shmem "), number(counters, "total_shmem "));
          }
        }
      }
    }
    return 0;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static long number(List<String> lines, String name) {
    for (String line : lines) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.substring(name.length()).replace("kB", "").strip());
      }
    }
    return 0;
  }
}
