package dev.tandem.data.read.mode;

import dev.tandem.posix.FileErrors;
import dev.tandem.posix.MachineMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Whether a file is brought into the page cache and read from there.
 *
 * @param reason one line, for a person
 */
public record CacheDecision(boolean memory, String reason) {

  /** The part of free memory that a file may take: the rest is for what trains on it. */
  private static final double MOST = 0.7;

  /**
   * Decides for a file.
   *
   * @param epochs how often it will be read, from now on
   * @param largeRequests it would be read by large requests anyway: in the order of keys, or
   *     because its records are large
   */
  public static CacheDecision of(
      CachePolicy policy, Path file, double epochs, boolean largeRequests) {
    return switch (policy) {
      case MEMORY -> new CacheDecision(true, "cache: memory, as asked");
      case NONE -> new CacheDecision(false, "cache: none, as asked");
      case AUTO -> decide(size(file), MachineMemory.available(), epochs, largeRequests);
    };
  }

  public static CacheDecision decide(
      long size, long available, double epochs, boolean largeRequests) {
    String sizes =
        String.format(
            Locale.ROOT, "%.1f MB of data, %.1f MB of memory free", size / 1e6, available / 1e6);
    if (size > MOST * available) {
      return new CacheDecision(false, "cache: none, the data does not fit (" + sizes + ")");
    }
    if (largeRequests && epochs <= 1) {
      return new CacheDecision(false, "cache: none, the data is read once, in large requests");
    }
    return new CacheDecision(
        true,
        "cache: memory, the data is brought into memory while it is first read (" + sizes + ")");
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", file, e);
    }
  }
}
