package dev.tandem.bench.sync;

/** What a thread of a rank is there for. */
enum ThreadRole {
  /** The synchroniser's, and those of the collectives that it starts. */
  BACKGROUND,
  /** The one that trains; the engine has no others. */
  ENGINE,
  /** Those that read and decode. */
  INPUT,
  /** Those of the JVM and of the communicator; and all carriers of virtual threads. */
  OTHER;

  /**
   * The role of a thread.
   *
   * @param name as far as the kernel knows it, which is its first 15 characters
   * @param training whether it is the one that trains
   */
  static ThreadRole of(String name, boolean training) {
    if (training) {
      return ENGINE;
    }
    if (name.startsWith("tandem-sync-") || name.startsWith("tandem-progress")) {
      return BACKGROUND;
    }
    return name.startsWith("loader-") ? INPUT : OTHER;
  }
}
