package dev.tandem.bench.read;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The whole disk under a file.
 *
 * @param numbers major and minor number as control groups want them, such as 254:0
 * @param queue its settings in sysfs
 */
record DiskDevice(String numbers, Path queue) {

  /** Found by the number of the device on which the file lies. */
  static DiskDevice under(Path file) {
    try {
      long device = ((Number) Files.getAttribute(file, "unix:dev")).longValue();
      long major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFFL);
      long minor = (device & 0xFF) | (device >> 12 & ~0xFFL);
      Path block = Path.of("/sys/dev/block", major + ":" + minor).toRealPath();
      if (Files.exists(block.resolve("partition"))) {
        block = block.getParent();
      }
      return new DiskDevice(Files.readString(block.resolve("dev")).strip(), block.resolve("queue"));
    } catch (IOException e) {
      throw new WorkFailedException(
          "cannot find the disk under %s (%s): choose a folder on a local disk"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  Path readAheadFile() {
    return queue.resolve("read_ahead_kb");
  }
}
