package dev.tandem.tune.task;

import java.nio.file.Path;

/** A file that a task finds in the folder {@code inputs} of its attempt; once on each node. */
public sealed interface Input {

  /** Its name there. */
  String name();

  /** A file that every node sees under this path, or that is sent there. */
  record FromFile(String name, Path path) implements Input {}

  /**
   * Bytes that are sent with the task.
   *
   * @param bytes owned by this record: not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by name only, where at all.
  record FromBytes(String name, byte[] bytes) implements Input {}
}
