package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import dev.tandem.lmdb.page.PageFormat;

/** The sizes that LMDB allows for keys and values, and the lines that refuse others. */
final class KeyLimits {

  private static final int INT = 4;
  private static final int LONG = 8;

  private KeyLimits() {}

  static void checkKey(int length, int flags, String database) {
    if (length == 0) {
      throw new UsageException("empty key for database " + database + ": a key has 1 to 511 bytes");
    }
    if (length > PageFormat.MAX_KEY) {
      throw new UsageException(
          "key of " + length + " bytes for database " + database + ": a key has 1 to 511 bytes");
    }
    if ((flags & PageFormat.INTEGER_KEY) != 0 && length != INT && length != LONG) {
      throw new UsageException(
          "key of " + length + " bytes for database " + database + ": integer keys have 4 or 8");
    }
  }

  static void checkDuplicate(int length, int flags, String database) {
    if (length > PageFormat.MAX_KEY) {
      throw new UsageException(
          "value of "
              + length
              + " bytes for database "
              + database
              + ": with duplicates a value has at most 511 bytes");
    }
    if ((flags & PageFormat.INTEGER_DUP) != 0 && length != INT && length != LONG) {
      throw new UsageException(
          "value of " + length + " bytes for database " + database + ": integers have 4 or 8");
    }
  }
}
