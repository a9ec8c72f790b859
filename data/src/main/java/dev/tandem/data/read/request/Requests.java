package dev.tandem.data.read.request;

import dev.tandem.core.UsageException;
import java.util.Locale;

/**
 * How bytes are asked for.
 *
 * @param block bytes of the largest request
 * @param queueDepth requests under way at once
 */
public record Requests(int block, int queueDepth, Route route) {

  /** Which way bytes come. */
  public enum Route {
    /** Straight from the page cache, through a mapping; requests are the kernel's affair. */
    MAPPED,
    /** Copied from the page cache. */
    CACHED,
    /** Past the page cache (O_DIRECT). */
    DIRECT;

    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Requests under way that random reads of single records need. */
  public static final int RANDOM_DEPTH = 32;

  /** From this many bytes on a request gains from huge pages, and less from the kernel's queue. */
  public static final long LONG_BYTES = 64 << 10;

  private static final int SMALLEST_BLOCK = 4096;
  private static final int LARGEST_BLOCK = 1 << 30;
  private static final int MOST_REQUESTS = 256;

  public Requests {
    if (block < SMALLEST_BLOCK || block > LARGEST_BLOCK || Integer.bitCount(block) != 1) {
      throw new UsageException(
          "a block of %d bytes: it must be a power of two from 4096 to 2^30".formatted(block));
    }
    if (queueDepth < 1 || queueDepth > MOST_REQUESTS) {
      throw new UsageException("a queue depth of %d: it goes from 1 to 256".formatted(queueDepth));
    }
  }
}
