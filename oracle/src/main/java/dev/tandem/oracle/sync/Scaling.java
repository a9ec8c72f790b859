package dev.tandem.oracle.sync;

import java.util.Locale;

/** What stays the same when ranks are added. */
public enum Scaling {
  /** The samples of a rank. */
  WEAK,
  /** The samples of all ranks together. */
  STRONG;

  /** The name on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }
}
