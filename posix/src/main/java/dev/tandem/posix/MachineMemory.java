package dev.tandem.posix;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The memory of this machine, or of the container that the process runs in. */
public final class MachineMemory {

  private MachineMemory() {}

  /** All of it, used or not. */
  public static long bytes() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }
}
