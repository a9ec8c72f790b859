package dev.tandem.sync.trace;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A file of Chrome trace events that all ranks write and that is whole at every moment, also after
 * the power of a {@code kill -9} over any of them.
 *
 * <p>{@code Note [always valid]}: the file has its full length from the beginning: an opening
 * bracket, then blanks, then one event that says nothing and the closing bracket. Blanks between
 * the elements of an array mean nothing, so any of them may become an event with a comma after it.
 * Each page belongs to one rank, and an event never crosses the border of a page, so one write
 * changes one page, which the kernel does not interrupt. A file that is full takes no more events.
 *
 * <p>For one thread.
 */
final class TimelineFile implements AutoCloseable {

  private static final int PAGE = 4096;
  private static final String END = "{\"name\":\"end\",\"ph\":\"M\",\"pid\":0,\"tid\":0}]\n";

  private final Path path;
  private final FileChannel channel;
  private final int rank;
  private final int ranks;
  private final long pages;
  private long page;
  private int used;

  private TimelineFile(Path path, FileChannel channel, int rank, int ranks, long pages) {
    this.path = path;
    this.channel = channel;
    this.rank = rank;
    this.ranks = ranks;
    this.pages = pages;
    // The first page and the last belong to the file itself.
    this.page = 1L + rank;
  }

  /** Makes an empty file with room for a number of pages of each rank. */
  static void create(Path path, int ranks, int pagesOfRank) {
    Path pending = path.resolveSibling(path.getFileName() + ".pending");
    byte[] blank = new byte[PAGE];
    Arrays.fill(blank, (byte) ' ');
    try {
      try (FileChannel channel =
          FileChannel.open(
              pending,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        byte[] first = blank.clone();
        first[0] = '[';
        write(channel, first, 0);
        long all = (long) ranks * pagesOfRank;
        for (long number = 1; number <= all; number++) {
          write(channel, blank, number * PAGE);
        }
        write(channel, END.getBytes(StandardCharsets.US_ASCII), (all + 1) * PAGE);
      }
      Files.move(pending, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw FileErrors.failure("write", path, e);
    }
  }

  /** Opens a file that was created for this many ranks. */
  static TimelineFile open(Path path, int rank, int ranks) {
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
      return new TimelineFile(path, channel, rank, ranks, channel.size() / PAGE);
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  private static void write(FileChannel channel, byte[] bytes, long at) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer, at + buffer.position());
    }
  }

  /**
   * Adds an event.
   *
   * @param json an object in one line
   * @return whether there was room
   */
  boolean add(String json) {
    byte[] bytes = ("\n" + json + ",").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > PAGE) {
      return true; // A name of thousands of characters is not worth a trace.
    }
    if (used + bytes.length > PAGE) {
      page += ranks;
      used = 0;
    }
    if (page >= pages) {
      return false;
    }
    try {
      write(channel, bytes, page * PAGE + used);
    } catch (IOException e) {
      throw FileErrors.failure("write", path, e);
    }
    used += bytes.length;
    return true;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw FileErrors.failure("close", path, e);
    }
  }

  @Override
  public String toString() {
    return path + " of rank " + rank;
  }
}
