package dev.tandem.oracle.sync;

import java.util.Locale;

/**
 * How ranks agree on what to reduce next. A policy is what it changes in the protocol and nothing
 * else: no parameter of the simulation depends on it.
 */
public enum SimulatedPolicy {
  /** Sleep out the cycle, then agree in a blocking collective that spins. */
  BASELINE,
  /** As the baseline, but all ranks sleep as long as the one that may sleep least. */
  GS,
  /** As the baseline, but the collective is tested now and then and naps in between. */
  NBCS,
  /** As the baseline, but the synchroniser has a core of its own (and so may others). */
  SCP,
  /** Nothing to agree on: buffers leave in an order known beforehand, when they are full. */
  TOPO,
  /** {@link #TOPO} with cores divided as for {@link #SCP}. */
  SCP_TOPO;

  /** The name on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether ranks agree, cycle by cycle, on the tensors that all of them have. */
  boolean negotiates() {
    return this != TOPO && this != SCP_TOPO;
  }

  /** Whether a rank that waits for others to agree keeps a core busy. */
  boolean spins() {
    return negotiates() && this != NBCS;
  }

  /** Whether the synchroniser, at least, has a core that no other component uses. */
  boolean partitions() {
    return this == SCP || this == SCP_TOPO;
  }
}
