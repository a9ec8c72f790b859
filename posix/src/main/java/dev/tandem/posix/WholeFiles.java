package dev.tandem.posix;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;

/** Whole files of any size, read by mapping and replaced in one atomic step. */
public final class WholeFiles {

  /** Bytes of one write, at most. */
  private static final long CHUNK = 1L << 30;

  private WholeFiles() {}

  /** The bytes of a file, mapped until no view of them is reachable. */
  public static MemorySegment map(Path file) {
    try {
      if (!Files.isRegularFile(file) && Files.exists(file)) {
        throw new WorkFailedException("cannot read " + file + ": it is not a file");
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Replaces a file by these bytes, one part after the other. */
  public static void replace(Path file, List<MemorySegment> parts) {
    replace(
        file,
        out -> {
          long at = 0;
          for (MemorySegment part : parts) {
            for (long done = 0; done < part.byteSize(); done += CHUNK) {
              long length = Math.min(CHUNK, part.byteSize() - done);
              out.write(part.asSlice(done, length).asByteBuffer(), at);
              at += length;
            }
          }
        });
  }

  /**
   * Replaces a file by what a writer writes to an empty one; after a crash it is the old one, none,
   * or whole.
   */
  public static void replace(Path file, Consumer<DurableFile> writer) {
    DurableFiles files = DurableFiles.system();
    Path pending = file.resolveSibling(file.getFileName() + ".pending");
    try {
      try (DurableFile out = files.openOrCreate(pending)) {
        out.truncate(0);
        writer.accept(out);
        out.force();
      }
      files.rename(pending, file);
    } catch (RuntimeException e) {
      files.delete(pending);
      throw e;
    }
    files.forceDirectory(file.toAbsolutePath().getParent());
  }
}
