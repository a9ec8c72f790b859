package dev.tandem.sync.cores;

/** What a thread of a rank works for. */
public enum Role {
  /** Transfers gradients. */
  BACKGROUND,
  /** Computes. */
  ENGINE,
  /** Reads, decodes, augments. */
  INPUT
}
