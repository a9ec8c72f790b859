package dev.tandem.nn.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the engine must know of the processor. */
final class Processor {

  private static final Path DESCRIPTION = Path.of("/proc/cpuinfo");

  private Processor() {}

  /**
   * Whether convolutions and products by oneDNN are faster than by BLAS. On x86-64 always; on
   * aarch64 without instructions for bfloat16 a training step of a small CNN took a sixth longer
   * with it.
   */
  static boolean gainsFromOneDnn() {
    if (!System.getProperty("os.arch").equals("aarch64")) {
      return true;
    }
    try {
      return Files.readAllLines(DESCRIPTION).stream()
          .filter(line -> line.startsWith("Features"))
          .anyMatch(line -> List.of(line.split("\\s+")).contains("bf16"));
    } catch (IOException e) {
      return false;
    }
  }
}
