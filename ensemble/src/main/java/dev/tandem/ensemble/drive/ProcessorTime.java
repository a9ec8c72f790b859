package dev.tandem.ensemble.drive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time of this process and of all of its children that have ended. */
final class ProcessorTime {

  private static final Path STAT = Path.of("/proc/self/stat");

  /** The kernel counts in these, on all Linux machines. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int FIRST_AFTER_NAME = 3;
  private static final int USER = 14;

  private ProcessorTime() {}

  /** Seconds so far; 0 where nothing says it. */
  static double ofTree() {
    try {
      String text = Files.readString(STAT);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      double ticks = 0;
      for (int field = USER; field < USER + 4; field++) {
        ticks += Long.parseLong(fields[field - FIRST_AFTER_NAME]);
      }
      return ticks / TICKS_PER_SECOND;
    } catch (IOException e) {
      return 0;
    }
  }
}
