package dev.tandem.posix;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * A file that only grows, and that never ends the work which it tells of: what cannot be written is
 * said once, kept and tried again with whatever is added next. A record is never in the file twice
 * or, before a later one, in part. Any thread.
 */
public final class LogFile implements AutoCloseable {

  /** More than this is not kept: later records are left out until there is room again. */
  private static final int MOST_KEPT = 64 << 20;

  private final Path path;
  private final Consumer<String> lines;
  private final ByteArrayOutputStream added = new ByteArrayOutputStream();
  private ByteBuffer kept = ByteBuffer.allocate(0);
  private FileChannel channel;
  private boolean failing;
  private long leftOut;

  /**
   * A log that is continued; it is opened with the first record.
   *
   * @param lines gets what a person should know, one line each
   */
  public LogFile(Path path, Consumer<String> lines) {
    this.path = path;
    this.lines = lines;
  }

  /** Adds a record; it is in the file when {@link #flush} has nothing left to write. */
  public synchronized void add(byte[] record) {
    if (kept.remaining() + added.size() + record.length > MOST_KEPT) {
      leftOut++;
    } else {
      added.writeBytes(record);
    }
  }

  /** Hands all that was added to the system, if it takes it. */
  public synchronized void flush() {
    if (added.size() > 0) {
      byte[] more = added.toByteArray();
      added.reset();
      kept = ByteBuffer.allocate(kept.remaining() + more.length).put(kept).put(more).flip();
    }
    try {
      if (channel == null) {
        channel = open();
      }
      while (kept.hasRemaining()) {
        channel.write(kept);
      }
      if (failing) {
        lines.accept(path + " is written again" + lost());
        failing = false;
      }
    } catch (IOException e) {
      if (!failing) {
        lines.accept(
            FileErrors.failure("write", path, e).getMessage()
                + "; the work continues and this is tried again");
        failing = true;
      }
    }
  }

  /** A line that a killed process left in part is ended, so that it spoils no other. */
  private FileChannel open() throws IOException {
    if (endsInPart()) {
      kept = ByteBuffer.allocate(kept.remaining() + 1).put((byte) '\n').put(kept).flip();
    }
    return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private boolean endsInPart() throws IOException {
    if (!Files.exists(path)) {
      return false;
    }
    try (FileChannel before = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return before.size() > 0 && before.read(last, before.size() - 1) == 1 && last.get(0) != '\n';
    }
  }

  private String lost() {
    return leftOut == 0 ? "" : "; " + leftOut + " records are lost";
  }

  /** Tries to write what is left; says so if it cannot. */
  @Override
  public synchronized void close() {
    flush();
    if (kept.hasRemaining()) {
      lines.accept("%s lacks its last %,d bytes%s".formatted(path, kept.remaining(), lost()));
    }
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      lines.accept(FileErrors.failure("write", path, e).getMessage());
    }
  }
}
