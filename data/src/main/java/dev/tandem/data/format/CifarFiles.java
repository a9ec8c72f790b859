package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Files of CIFAR-10's binary version: records of one label byte and 3x32x32 pixels.
 *
 * @param paths in the order in which their records are numbered
 * @param counts records of every file
 */
public record CifarFiles(List<Path> paths, List<Long> counts) {

  public static final int CHANNELS = 3;
  public static final int SIDE = 32;

  /** Bytes of a record. */
  public static final int RECORD = 1 + CHANNELS * SIDE * SIDE;

  public CifarFiles {
    paths = List.copyOf(paths);
    counts = List.copyOf(counts);
  }

  /** Looks at the sizes of the files, so that a cut one is refused at once. */
  public static CifarFiles of(List<Path> paths) {
    return new CifarFiles(paths, paths.stream().map(CifarFiles::records).toList());
  }

  private static long records(Path file) {
    try {
      long size = Files.size(file);
      if (size == 0 || size % RECORD != 0) {
        throw new WorkFailedException(
            "%s is cut short or no CIFAR-10 file: its %,d bytes are no whole number of records of %,d bytes"
                .formatted(file, size, RECORD));
      }
      return size / RECORD;
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Records of all files. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
