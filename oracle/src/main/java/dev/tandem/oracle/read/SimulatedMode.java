package dev.tandem.oracle.read;

import java.util.Locale;

/** The read modes that are simulated. */
public enum SimulatedMode {
  LMDB,
  LMM,
  DM,
  DIO,
  PROV,
  COAL,
  STAG;

  /** The name of the mode on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }
}
