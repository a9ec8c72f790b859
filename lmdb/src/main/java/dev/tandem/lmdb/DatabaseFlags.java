package dev.tandem.lmdb;

import dev.tandem.core.UsageException;
import dev.tandem.lmdb.page.PageFormat;

/** How a database orders its keys and whether a key may have several values; LMDB's own flags. */
public enum DatabaseFlags {
  /** Keys are compared from their last byte to the first. */
  REVERSE_KEY(PageFormat.REVERSE_KEY),
  /** A key may have several values, which are sorted and at most 511 bytes long. */
  DUP_SORT(PageFormat.DUP_SORT),
  /** Keys are unsigned integers of 4 or 8 bytes in the machine's order, all of one size. */
  INTEGER_KEY(PageFormat.INTEGER_KEY),
  /** With {@link #DUP_SORT}: the values of a key are all of one size. */
  DUP_FIXED(PageFormat.DUP_FIXED),
  /** With {@link #DUP_SORT}: values are unsigned integers of 4 or 8 bytes. */
  INTEGER_DUP(PageFormat.INTEGER_DUP),
  /** With {@link #DUP_SORT}: values are compared from their last byte to the first. */
  REVERSE_DUP(PageFormat.REVERSE_DUP);

  private final int bit;

  DatabaseFlags(int bit) {
    this.bit = bit;
  }

  public static int bits(DatabaseFlags... flags) {
    int bits = 0;
    for (DatabaseFlags flag : flags) {
      bits |= flag.bit;
    }
    int needSort = PageFormat.DUP_FIXED | PageFormat.INTEGER_DUP | PageFormat.REVERSE_DUP;
    if ((bits & needSort) != 0 && (bits & PageFormat.DUP_SORT) == 0) {
      throw new UsageException("DUP_FIXED, INTEGER_DUP and REVERSE_DUP need DUP_SORT");
    }
    return bits;
  }
}
