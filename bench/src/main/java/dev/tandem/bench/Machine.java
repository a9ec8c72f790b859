package dev.tandem.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What a reader of figures must know about the machine. */
public final class Machine {

  private Machine() {}

  /** One line: cores, kernel, Java, load, and the device under a folder with its read-ahead. */
  public static String describe(Path folder) {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return String.format(
        Locale.ROOT,
        "%d cores, %s %s, Java %s, load average %.1f at the start, %s",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("java.version"),
        load,
        device(folder));
  }

  /** Device, filesystem and read-ahead, as far as they are known. */
  private static String device(Path folder) {
    try {
      String name = Files.getFileStore(folder).name();
      String type = Files.getFileStore(folder).type();
      String block = name.substring(name.lastIndexOf('/') + 1);
      Path readAhead = Path.of("/sys/class/block", block, "queue", "read_ahead_kb");
      if (!Files.exists(readAhead)) {
        // A partition has the queue of its disk.
        readAhead =
            Path.of("/sys/class/block", block).resolve("../queue/read_ahead_kb").toRealPath();
      }
      return "%s on %s with read-ahead %s KB"
          .formatted(type, name, Files.readString(readAhead).strip());
    } catch (IOException e) {
      return "device unknown";
    }
  }
}
