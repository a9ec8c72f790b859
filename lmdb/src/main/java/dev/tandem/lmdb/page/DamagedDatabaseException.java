package dev.tandem.lmdb.page;

import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;

/**
 * The file is no LMDB 0.9 database, or its structure contradicts itself. The message is one line
 * that names the file, the page and the byte offset in the file; restore the file from a copy.
 */
public final class DamagedDatabaseException extends WorkFailedException {

  private static final long serialVersionUID = 1L;

  private final long page;
  private final long offset;

  public DamagedDatabaseException(Path file, long page, long offset, String what) {
    this(file, page, offset, what, null);
  }

  public DamagedDatabaseException(Path file, long page, long offset, String what, Throwable cause) {
    super(file + " is damaged at page " + page + " (byte " + offset + "): " + what, cause);
    this.page = page;
    this.offset = offset;
  }

  /** Number of the page on which the contradiction was seen. */
  public long page() {
    return page;
  }

  /** Byte offset in the file at which the contradiction was seen. */
  public long offset() {
    return offset;
  }
}
