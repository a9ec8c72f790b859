package dev.tandem.posix;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;

/** The memory of this machine, or of the container that the process runs in. */
public final class MachineMemory {

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
    List<String> machine = machine();
    long free = MemoryGroup.number(machine, "MemAvailable:") << 10;
    if (free == 0) {
      return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
          .getFreeMemorySize();
    }
    return limited() ? Math.max(0, Math.min(free, bytes() - MemoryGroup.own().held())) : free;
  }

  /** Whether a control group allows less than the machine has. */
  public static boolean limited() {
    return bytes() < MemoryGroup.number(machine(), "MemTotal:") << 10;
  }

  private static List<String> machine() {
    return MemoryGroup.lines(Path.of("/proc/meminfo"));
  }
}
