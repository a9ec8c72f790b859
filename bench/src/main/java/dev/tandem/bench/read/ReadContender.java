package dev.tandem.bench.read;

import dev.tandem.posix.ControlGroup;

/** A reader of the records of a case, in processes of its own. */
interface ReadContender {

  /** As in the results. */
  String name();

  /** Brings about what must be there, or must not; afterwards the page cache is set up. */
  default void prepare(ReadCase what) {}

  /** Whether its outcome has the checksum of what it read. */
  default boolean hashes() {
    return true;
  }

  /** Reads everything under the given limits. */
  ReadOutcome run(ReadCase what, ControlGroup group);
}
