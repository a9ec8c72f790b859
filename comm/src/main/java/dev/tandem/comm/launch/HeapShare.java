package dev.tandem.comm.launch;

import dev.tandem.posix.MachineMemory;
import java.util.List;

/**
 * The heap of a rank whose flags do not say how large it is: a quarter of the memory of its machine
 * or container, shared by all ranks there, and no more than {@link JvmFlags#HEAP}. Most of what
 * ranks hold is outside the heap.
 */
final class HeapShare {

  private static final long LEAST = 64;
  static final long MOST = 2048;

  private static final List<String> CHOICES =
      List.of("-Xmx", "-XX:MaxHeapSize", "-XX:MaxRAM"); // also a percentage

  private HeapShare() {}

  /** Whether these flags say how large the heap is. */
  static boolean chosen(List<String> flags) {
    return flags.stream().anyMatch(flag -> CHOICES.stream().anyMatch(flag::startsWith));
  }

  /** The flag of a rank of which this machine has this many. */
  static String flag(int ranks) {
    return "-Xmx" + megabytes(MachineMemory.bytes(), ranks) + "m";
  }

  static long megabytes(long memory, int ranks) {
    return Math.clamp((memory / 4 / ranks) >> 20, LEAST, MOST);
  }

  /** Lines that set a shell's variable {@code heap} to megabytes, from the same figures there. */
  static String script(int ranks) {
    return """
        heap=$({
          group=$(sed -n 's/^0:://p' /proc/self/cgroup)
          while [ -n "$group" ]; do
            cat "/sys/fs/cgroup$group/memory.max"
            group=${group%%/*}
          done
          group=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
          cat /proc/meminfo "/sys/fs/cgroup/memory$group/memory.stat" \
            /sys/fs/cgroup/memory/memory.stat /sys/fs/cgroup/memory.max
        } 2>/dev/null </dev/null | awk '
          function take(bytes) { if (!least || bytes < least) least = bytes }
          /^MemTotal:/ { take($2 * 1024) }
          /^hierarchical_memory_limit/ { take($2 + 0) }
          /^[0-9]+$/ { take($1 + 0) }
          END { heap = int(least / 4 / %d / 1048576); print (heap < %d ? %d : heap > %d ? %d : heap) }')
        """
        .formatted(ranks, LEAST, LEAST, MOST, MOST);
  }
}
