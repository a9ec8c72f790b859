package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.Optional;

/**
 * How an environment is written.
 *
 * @param pageSize bytes in a page of a new environment, a power of two from 4096 to 32768; an
 *     existing environment keeps its own
 * @param sync whether a commit is on disk when it returns; without, a power loss may cost the last
 *     commits or the file
 * @param lockWait how long to wait for another writer, zero for not at all, empty for without end
 */
public record WriterOptions(int pageSize, boolean sync, Optional<Duration> lockWait) {

  /** 4 KiB pages, durable commits, waits for another writer. */
  public static final WriterOptions DEFAULT = new WriterOptions(4096, true, Optional.empty());

  public WriterOptions {
    if (pageSize < MetaState.MIN_PAGE_SIZE
        || pageSize > MetaState.MAX_PAGE_SIZE
        || Integer.bitCount(pageSize) != 1) {
      throw new UsageException(
          "page size " + pageSize + " is not one of 4096, 8192, 16384 and 32768");
    }
  }

  public WriterOptions withPageSize(int size) {
    return new WriterOptions(size, sync, lockWait);
  }

  public WriterOptions withSync(boolean durable) {
    return new WriterOptions(pageSize, durable, lockWait);
  }

  public WriterOptions withLockWait(Duration limit) {
    return new WriterOptions(pageSize, sync, Optional.of(limit));
  }
}
