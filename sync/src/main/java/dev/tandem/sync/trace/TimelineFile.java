package dev.tandem.sync.trace;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A file of Chrome trace events that all ranks write and that is valid JSON at every moment, also
 * after a {@code kill -9} of any of them.
 *
 * <p>{@code Note [always valid]}: the file is an opening bracket, then pages of blanks and events,
 * then one event that says nothing and the closing bracket. Blanks between the elements of an array
 * mean nothing, so any of them may become an event with a comma after it. Each page belongs to one
 * rank, and an event never crosses the border of a page, so one write changes one page, which the
 * kernel does not interrupt. A rank whose pages are full adds pages before the end, with the file
 * locked and in one write: blanks over the old end, then the new end. A rank that is killed within
 * that write may leave a file without an end, which Perfetto opens; the next rank that adds pages
 * repairs it. The pages added are a share of those the rank has, so that most of the file is
 * events.
 *
 * <p>For one thread; ranks may be threads of one process.
 */
final class TimelineFile implements AutoCloseable {

  private static final int PAGE = 4096;
  private static final int MOST_PAGES_AT_ONCE = 16;
  private static final byte[] END =
      "{\"name\":\"end\",\"ph\":\"M\",\"pid\":0,\"tid\":0}]\n".getBytes(StandardCharsets.US_ASCII);

  /** Locks of files belong to the process, and closing any channel of the file drops them. */
  private static final Object IN_PROCESS = new Object();

  private final Path path;
  private final FileChannel channel; // null if there is no file
  private final int mostPages;
  private int pages;
  private long position;
  private long pagesEnd;
  private boolean ended;

  private TimelineFile(Path path, FileChannel channel, int mostPages) {
    this.path = path;
    this.channel = channel;
    this.mostPages = mostPages;
  }

  /** Makes an empty file; one that cannot be made is a line, and takes no events. */
  static void create(Path path) {
    Path pending = path.resolveSibling(path.getFileName() + ".pending");
    byte[] empty = new byte[PAGE + END.length];
    Arrays.fill(empty, (byte) ' ');
    empty[0] = '[';
    System.arraycopy(END, 0, empty, PAGE, END.length);
    try {
      Files.write(pending, empty);
      Files.move(pending, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      System.err.println(
          "there is no timeline: " + FileErrors.failure("write", path, e).getMessage());
    }
  }

  /**
   * Opens a file that was created; one that is not there takes no events.
   *
   * @param mostPages how many pages of 4 KiB this rank may fill
   */
  static TimelineFile open(Path path, int mostPages) {
    try {
      FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      return new TimelineFile(path, channel, mostPages);
    } catch (IOException e) {
      TimelineFile none = new TimelineFile(path, null, 0);
      none.ended = true;
      return none;
    }
  }

  private static void write(FileChannel channel, byte[] bytes, long at) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer, at + buffer.position());
    }
  }

  /**
   * Adds an event. A file that cannot be written takes no more: a line says so, training goes on.
   *
   * @param json an object in one line
   * @return whether there was room
   */
  boolean add(String json) {
    byte[] bytes = ("\n" + json + ",").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > PAGE) {
      return true; // A name of thousands of characters is not worth a trace.
    }
    if (ended) {
      return false;
    }
    try {
      if (position % PAGE + bytes.length > PAGE) {
        position = Math.ceilDiv(position, PAGE) * PAGE;
      }
      if (position >= pagesEnd && !extend()) {
        ended = true;
        return false;
      }
      write(channel, bytes, position);
      position += bytes.length;
      return true;
    } catch (IOException e) {
      ended = true;
      System.err.println(
          "the timeline ends here: " + FileErrors.failure("write", path, e).getMessage());
      return false;
    }
  }

  /** Puts pages of this rank before the end; false if it has as many as it may have. */
  private boolean extend() throws IOException {
    int wanted = Math.clamp(pages / 2, 1, MOST_PAGES_AT_ONCE);
    int count = Math.min(wanted, mostPages - pages);
    if (count < 1) {
      return false;
    }
    synchronized (IN_PROCESS) {
      try (FileLock _ = channel.lock(0, 1, false)) {
        long from = endOfPages();
        long first = Math.ceilDiv(from, PAGE) * PAGE;
        long end = first + (long) count * PAGE;
        byte[] added = new byte[(int) (end - from) + END.length];
        Arrays.fill(added, (byte) ' ');
        System.arraycopy(END, 0, added, added.length - END.length, END.length);
        write(channel, added, from);
        position = first;
        pagesEnd = end;
        pages += count;
      }
    }
    return true;
  }

  /** Where the last event begins, which says nothing; the size if a killed rank left none. */
  private long endOfPages() throws IOException {
    long size = channel.size();
    ByteBuffer tail = ByteBuffer.allocate(END.length);
    long at = size - END.length;
    while (tail.hasRemaining() && channel.read(tail, at + tail.position()) > 0) {}
    return Arrays.equals(tail.array(), END) ? at : size;
  }

  @Override
  public void close() {
    synchronized (IN_PROCESS) {
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException e) {
        throw FileErrors.failure("close", path, e);
      }
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
