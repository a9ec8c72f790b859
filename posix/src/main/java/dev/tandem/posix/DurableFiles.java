package dev.tandem.posix;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The few filesystem operations from which crash-safe formats are built. {@link #system()} is the
 * machine's; testkit has one that loses power.
 *
 * <p>A name is durable only after {@link #forceDirectory} of its folder, also after {@link
 * #rename}.
 */
public interface DurableFiles {

  /** What {@link #openForBlocks} asks positions, lengths and addresses to be multiples of. */
  int BLOCK = 4096;

  /** The files of this machine. */
  static DurableFiles system() {
    return SystemDurableFiles.INSTANCE;
  }

  /** Opens for reading and writing, made empty if it was not there. */
  DurableFile openOrCreate(Path path);

  /** Opens a file that is there, to be read only. */
  DurableFile openForReading(Path path);

  /**
   * Opens a file that will be written in large blocks and not read soon: past the page cache
   * (O_DIRECT) where the file system can. Until it is closed, positions, lengths and the addresses
   * of buffers are multiples of {@link #BLOCK}, and it is not read; {@link DurableFile#truncate}
   * then gives it its length.
   */
  default DurableFile openForBlocks(Path path) {
    return openOrCreate(path);
  }

  boolean exists(Path path);

  /** The names in a folder, sorted; none if it is not there. */
  List<String> list(Path folder);

  /**
   * Makes a folder and those above it that are missing; one that is there is no error. Their names
   * are durable when this returns.
   */
  void createFolders(Path folder);

  /**
   * Makes one folder in another that is there; one that is there is no error. Its name is durable
   * after {@link #forceDirectory} of the other.
   */
  void createFolder(Path folder);

  /** Puts {@code from} in the place of {@code to} in one atomic step. */
  void rename(Path from, Path to);

  /** Removes a file or an empty folder; a missing one is no error. */
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
