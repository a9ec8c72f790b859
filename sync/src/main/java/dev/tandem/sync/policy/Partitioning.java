package dev.tandem.sync.policy;

/** How the cores of a rank are divided between its background, engine and input threads (SCP). */
public enum Partitioning {
  /** All threads share all cores. */
  NONE,
  /** Each of the three has cores of its own. */
  STATIC,
  /** The same, and cores move to where they are short. */
  DYNAMIC
}
