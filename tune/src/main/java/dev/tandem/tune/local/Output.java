package dev.tandem.tune.local;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads one stream of a program until its end: into a file up to a limit, and line by line to
 * whoever listens. A disk that is full stops the file, not the program. One thread of its own.
 */
final class Output {

  /** Longer lines are cut for the listener; the file has all of them. */
  private static final int LONGEST_LINE = 1 << 20;

  private static final int KEPT = 20;

  private final InputStream from;
  private final Path file;
  private final long limit;
  private final Consumer<String> lines;
  private final Deque<String> last = new ArrayDeque<>();
  private final Thread thread;
  private long bytes;
  private volatile Optional<Exception> failure = Optional.empty();

  Output(InputStream from, Path file, long limit, Consumer<String> lines) {
    this.from = from;
    this.file = file;
    this.limit = limit;
    this.lines = lines;
    this.thread = Thread.ofPlatform().daemon().name("output-" + file).start(this::read);
  }

  private void read() {
    byte[] line = new byte[256];
    int length = 0;
    Optional<OutputStream> log = open();
    try (InputStream in = new BufferedInputStream(from, 1 << 16)) {
      int next = in.read();
      while (next >= 0) {
        if (bytes++ < limit) {
          log = write(log, next);
        }
        if (next == '\n') {
          line(line, length);
          length = 0;
        } else if (length < LONGEST_LINE) {
          if (length == line.length) {
            line = java.util.Arrays.copyOf(line, 2 * length);
          }
          line[length++] = (byte) next;
        }
        // What was said is in the file when the program waits.
        if (next == '\n' && in.available() == 0) {
          log = flush(log);
        }
        next = in.read();
      }
      if (length > 0) {
        line(line, length);
      }
    } catch (IOException e) {
      // The pipe was closed: its program has ended.
    } finally {
      finish(log);
    }
  }

  private void line(byte[] bytes, int length) {
    String text = new String(bytes, 0, length, StandardCharsets.UTF_8);
    synchronized (last) {
      last.add(text);
      if (last.size() > KEPT) {
        last.remove();
      }
    }
    if (failure.isEmpty()) {
      try {
        lines.accept(text);
      } catch (RuntimeException e) {
        failure = Optional.of(e);
      }
    }
  }

  private Optional<OutputStream> open() {
    try {
      return Optional.of(new BufferedOutputStream(Files.newOutputStream(file)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<OutputStream> write(Optional<OutputStream> log, int next) {
    if (log.isPresent()) {
      try {
        log.get().write(next);
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    return log;
  }

  private static Optional<OutputStream> flush(Optional<OutputStream> log) {
    if (log.isPresent()) {
      try {
        log.get().flush();
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    return log;
  }

  private void finish(Optional<OutputStream> log) {
    if (log.isEmpty()) {
      return;
    }
    try (OutputStream out = log.get()) {
      if (bytes > limit) {
        out.write(
            "%n%,d more bytes were left out%n"
                .formatted(bytes - limit)
                .getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // A full disk: the program's own words are lost, not its result.
    }
  }

  /** Waits for the end of the stream; false if it stays open, held by a process that lives on. */
  boolean join(long milliseconds) throws InterruptedException {
    thread.join(milliseconds);
    return !thread.isAlive();
  }

  /** The last lines. */
  List<String> lastLines() {
    synchronized (last) {
      return List.copyOf(last);
    }
  }

  /** What the listener threw. */
  Optional<Exception> failure() {
    return failure;
  }
}
