package dev.tandem.posix;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The one place that turns an {@link IOException} into a line a user can act on. */
public final class FileErrors {

  private FileErrors() {}

  /**
   * A failure that names the file and the remedy.
   *
   * @param what what was tried, as a verb: "read", "write"
   */
  public static WorkFailedException failure(String what, Path path, IOException e) {
    return new WorkFailedException("cannot " + what + " " + path + ": " + reason(e), e);
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String text =
        e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.toString();
    if (text.contains("No space left") || text.contains("quota")) {
      return "the disk is full; free some space and run again";
    }
    return text;
  }
}
