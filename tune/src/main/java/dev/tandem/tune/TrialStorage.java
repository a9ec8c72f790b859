package dev.tandem.tune;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where trials keep their files, and how much of them is kept.
 *
 * @param folder in which each trial has one of its own
 * @param keepLast how many checkpoints of a trial are kept, the last ones; 0 for all
 * @param keepBest how many others of it are kept, those with the best metric
 * @param freeBytes which must be free there before a trial starts; 0 for any room
 */
public record TrialStorage(Path folder, int keepLast, int keepBest, long freeBytes) {

  private static final int DIGITS = 4;

  public TrialStorage {
    if (keepLast < 0 || keepBest < 0 || freeBytes < 0) {
      throw new UsageException(
          "keep is last: %d, best: %d and free-space is %d, expected 0 or more"
              .formatted(keepLast, keepBest, freeBytes));
    }
    if (keepLast == 0 && keepBest > 0) {
      throw new UsageException(
          "keep.best is %d without keep.last: a trial goes on from its last checkpoint, expected keep.last of 1 or more"
              .formatted(keepBest));
    }
  }

  /** A folder where everything is kept. */
  public static TrialStorage in(Path folder) {
    return new TrialStorage(folder, 0, 0, 0);
  }

  /** The folder of a trial. */
  Path of(long trial) {
    String number = Long.toString(trial);
    return folder.resolve("0".repeat(Math.max(0, DIGITS - number.length())) + number);
  }

  /** Why no trial may start now, if so: what is free, and what is wanted. */
  Optional<String> missingRoom() {
    if (freeBytes == 0) {
      return Optional.empty();
    }
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(folder);
      }
    } catch (IOException e) {
      return Optional.of("the folder %s: %s".formatted(folder, e.getMessage()));
    }
    long free = folder.toFile().getUsableSpace();
    return free >= freeBytes
        ? Optional.empty()
        : Optional.of(
            "room in %s: %s are free, free-space is %s"
                .formatted(folder, size(free), size(freeBytes)));
  }

  private static String size(long bytes) {
    return bytes < 0x1p30
        ? "%.1f MiB".formatted(bytes / 0x1p20)
        : "%.1f GiB".formatted(bytes / 0x1p30);
  }
}
