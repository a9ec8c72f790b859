package dev.tandem.bench.read;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's read-ahead of a disk, for a while: closing sets it back, and so does Ctrl-C. */
final class ReadAhead implements AutoCloseable {

  private final Path file;
  private final int original;
  private final Thread atExit;

  private ReadAhead(Path file, int original) {
    this.file = file;
    this.original = original;
    this.atExit = Thread.ofPlatform().name("read-ahead-back").unstarted(() -> write(original));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Remembers how it is now. */
  static ReadAhead of(DiskDevice disk) {
    Path file = disk.readAheadFile();
    try {
      return new ReadAhead(file, Integer.parseInt(Files.readString(file).strip()));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** What it was at the beginning, in KB. */
  int original() {
    return original;
  }

  boolean changeable() {
    return Files.isWritable(file);
  }

  /** Files that are opened from now on are read ahead by this number of KB. */
  void set(int kilobytes) {
    if (kilobytes != original || changeable()) {
      write(kilobytes);
    }
  }

  private void write(int kilobytes) {
    try {
      Files.writeString(file, Integer.toString(kilobytes));
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  @Override
  public void close() {
    if (changeable()) {
      write(original);
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is going down and the hook does it.
    }
  }
}
