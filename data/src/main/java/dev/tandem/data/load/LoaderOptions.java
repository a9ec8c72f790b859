package dev.tandem.data.load;

import dev.tandem.core.UsageException;
import java.lang.foreign.Arena;
import java.util.function.Supplier;

/**
 * How a loader works; nothing here changes what it gives.
 *
 * @param threads that decode and augment
 * @param fetchThreads that read; more than one helps where a single reader does not fill the
 *     storage's queue, as with folders of images
 * @param prefetchBytes memory for what is read and decoded ahead: half of it for batches (at least
 *     two, at most eight), the rest for records (at least one step's)
 * @param virtual whether the threads are virtual ones: they share the carriers of the JVM, no more
 *     than processors, with all others of their kind
 * @param memory makes the arena of all batches, which the loader closes
 */
public record LoaderOptions(
    int threads,
    int fetchThreads,
    long prefetchBytes,
    BadRecords badRecords,
    boolean virtual,
    Supplier<Arena> memory) {

  private static final int MOST_THREADS = 256;

  /** Two threads that decode, one that reads, 256 MiB; a bad record is fatal. */
  public static final LoaderOptions DEFAULT = new LoaderOptions(2, 1, 256L << 20, BadRecords.FATAL);

  /** Options with threads of the operating system. */
  public LoaderOptions(int threads, int fetchThreads, long prefetchBytes, BadRecords badRecords) {
    this(threads, fetchThreads, prefetchBytes, badRecords, false, Arena::ofShared);
  }

  public LoaderOptions {
    checkThreads("threads", threads);
    checkThreads("fetch-threads", fetchThreads);
    if (prefetchBytes < 1) {
      throw new UsageException("a loader with %d bytes of memory".formatted(prefetchBytes));
    }
  }

  private static void checkThreads(String name, int value) {
    if (value < 1 || value > MOST_THREADS) {
      throw new UsageException("%s is %d, expected 1 to %d".formatted(name, value, MOST_THREADS));
    }
  }

  public LoaderOptions withThreads(int newThreads) {
    return new LoaderOptions(newThreads, fetchThreads, prefetchBytes, badRecords, virtual, memory);
  }

  public LoaderOptions withFetchThreads(int newFetchThreads) {
    return new LoaderOptions(threads, newFetchThreads, prefetchBytes, badRecords, virtual, memory);
  }

  public LoaderOptions withPrefetchBytes(long newPrefetchBytes) {
    return new LoaderOptions(threads, fetchThreads, newPrefetchBytes, badRecords, virtual, memory);
  }

  public LoaderOptions withBadRecords(BadRecords newBadRecords) {
    return new LoaderOptions(threads, fetchThreads, prefetchBytes, newBadRecords, virtual, memory);
  }

  public LoaderOptions withVirtual(boolean newVirtual) {
    return new LoaderOptions(threads, fetchThreads, prefetchBytes, badRecords, newVirtual, memory);
  }

  /** The same with batches in other memory. */
  public LoaderOptions withMemory(Supplier<Arena> newMemory) {
    return new LoaderOptions(threads, fetchThreads, prefetchBytes, badRecords, virtual, newMemory);
  }
}
