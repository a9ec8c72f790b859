package dev.tandem.data.dumping;

import java.util.Locale;

/** The flags that an LMDB database keeps, in the order in which dumps list them. */
public enum DatabaseFlag {
  REVERSEKEY(0x02),
  DUPSORT(0x04),
  INTEGERKEY(0x08),
  DUPFIXED(0x10),
  INTEGERDUP(0x20),
  REVERSEDUP(0x40);

  private final int bit;

  DatabaseFlag(int bit) {
    this.bit = bit;
  }

  /** Its bit in LMDB's flags. */
  public int bit() {
    return bit;
  }

  /** Its keyword in a dump's header. */
  public String keyword() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** This flag is set in LMDB's flags. */
  public boolean in(int flags) {
    return (flags & bit) != 0;
  }
}
