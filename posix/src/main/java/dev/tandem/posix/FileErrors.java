package dev.tandem.posix;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
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

  /** What went wrong, without names of classes. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "there is a file of this name";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not a text file in UTF-8";
    }
    String text = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    if (text == null) {
      return "the system gives no reason";
    }
    if (text.contains("No space left") || text.contains("quota")) {
      return "the disk is full; free some space and run again";
    }
    return text;
  }
}
