package dev.tandem.posix;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The few filesystem operations from which crash-safe formats are built. {@link #system()} is the
 * machine's; testkit has one that loses power.
 *
 * <p>A name is durable only after {@link #forceDirectory} of its folder, also after {@link
 * #rename}.
 */
public interface DurableFiles {

  /** The files of this machine. */
  static DurableFiles system() {
    return SystemDurableFiles.INSTANCE;
  }

  /** Opens for reading and writing, made empty if it was not there. */
  DurableFile openOrCreate(Path path);

  boolean exists(Path path);

  /** Puts {@code from} in the place of {@code to} in one atomic step. */
  void rename(Path from, Path to);

  /** Removes a file; a missing one is no error. */
  void delete(Path path);

  /** Returns when the names in this folder are on stable storage. */
  void forceDirectory(Path directory);

  /**
   * Replaces {@code target} so that after a crash either the old or the whole new content is there:
   * write pending, force, rename, force the directory.
   */
  default void replace(Path target, ByteBuffer content) {
    Path pending = target.resolveSibling(target.getFileName() + ".pending");
    try {
      try (DurableFile file = openOrCreate(pending)) {
        file.truncate(0);
        file.write(content, 0);
        file.force();
      }
      rename(pending, target);
    } catch (RuntimeException e) {
      delete(pending);
      throw e;
    }
    forceDirectory(target.toAbsolutePath().getParent());
  }
}
