package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A binary file read front to back, unpacked on the way if it is compressed with gzip. The reader
 * says what should come next, so that a file that ends early is reported by what is missing.
 */
public final class BinaryInput implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  private final Path path;
  private final InputStream stream;

  private BinaryInput(Path path, InputStream stream) {
    this.path = path;
    this.stream = stream;
  }

  public static BinaryInput open(Path path) {
    if (Files.isDirectory(path)) {
      throw new WorkFailedException("cannot read " + path + ": it is a folder");
    }
    InputStream file = null;
    try {
      file = new BufferedInputStream(Files.newInputStream(path), BUFFER);
      file.mark(2);
      boolean gzip = file.read() == 0x1f && file.read() == 0x8b;
      file.reset();
      return new BinaryInput(
          path, gzip ? new BufferedInputStream(new GZIPInputStream(file, BUFFER), BUFFER) : file);
    } catch (IOException e) {
      closeQuietly(file);
      throw FileErrors.failure("read", path, e);
    }
  }

  private static void closeQuietly(InputStream file) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      // The failure that made us close is the one to report.
    }
  }

  public int bigEndianInt(String what) {
    byte[] bytes = new byte[4];
    fill(bytes, 0, 4, what, 0);
    return bytes[0] << 24 | (bytes[1] & 0xFF) << 16 | (bytes[2] & 0xFF) << 8 | (bytes[3] & 0xFF);
  }

  public int unsignedByte(String what, long number) {
    try {
      int value = stream.read();
      if (value < 0) {
        throw endsEarly(what, number);
      }
      return value;
    } catch (EOFException e) {
      throw endsEarly(what, number);
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }

  /** Reads exactly {@code size} bytes, which an error calls {@code what} and its number. */
  public void fill(byte[] target, int offset, int size, String what, long number) {
    try {
      if (stream.readNBytes(target, offset, size) < size) {
        throw endsEarly(what, number);
      }
    } catch (EOFException e) {
      // What a cut gzip file gives.
      throw endsEarly(what, number);
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }

  public void skip(int size) {
    try {
      stream.skipNBytes(size);
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }

  /** The file is through. */
  public boolean atEnd() {
    try {
      stream.mark(1);
      boolean end = stream.read() < 0;
      stream.reset();
      return end;
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }

  public void expectEnd(String after) {
    if (!atEnd()) {
      throw new WorkFailedException(path + " is damaged: it continues after " + after);
    }
  }

  /** A number of 0 is left out. */
  private WorkFailedException endsEarly(String what, long number) {
    return new WorkFailedException(
        path + " is cut short: it ends within " + what + (number == 0 ? "" : " " + number));
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw FileErrors.failure("close", path, e);
    }
  }
}
