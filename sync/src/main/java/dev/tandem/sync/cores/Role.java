package dev.tandem.sync.cores;

import java.util.Optional;

/** What a thread of a rank works for. */
public enum Role {
  /** Transfers gradients. */
  BACKGROUND,
  /** Computes: the training thread and the threads that the engine has started from it. */
  ENGINE,
  /** Reads, decodes, augments. */
  INPUT;

  /**
   * The role of a thread; empty for those of the JVM and others, which keep all cores.
   *
   * @param name as the kernel has it, which is at most 15 characters
   * @param training the kernel's name of the training thread, which its engine's threads inherit
   */
  static Optional<Role> of(String name, String training) {
    if (name.startsWith("tandem-sync-")) {
      return Optional.of(BACKGROUND);
    }
    if (name.startsWith("loader-")
        || name.startsWith("tandem-read-")
        || name.startsWith("tandem-page-")) {
      return Optional.of(INPUT);
    }
    return name.equals(training) ? Optional.of(ENGINE) : Optional.empty();
  }
}
