package dev.tandem.bench;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A contender whose ranks run; see {@link Contender}. For one thread. */
public final class LiveContender implements AutoCloseable {

  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(3);
  private static final Duration PATIENCE_AT_END = Duration.ofSeconds(20);

  /** A line of the ranks, or why there will be no more. */
  private record Heard(String line, RuntimeException end) {}

  private final Contender contender;
  private final List<RandomAccessFile> pipes = new ArrayList<>();
  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private final Thread ranks;

  private LiveContender(Contender contender, Path prefix) {
    this.contender = contender;
    for (int rank = 0; rank < contender.ranks(); rank++) {
      pipes.add(pipe(Path.of(prefix + "" + rank)));
    }
    this.ranks =
        Thread.ofPlatform().daemon().name("bench-" + contender.name()).start(() -> run(prefix));
  }

  /** Starts the ranks and waits until they are ready. */
  public static LiveContender start(Contender contender, Path folder) {
    Path prefix = folder.resolve("%s-%d-".formatted(contender.name(), contender.ranks()));
    LiveContender live = new LiveContender(contender, prefix);
    try {
      String line = live.answer();
      if (!line.equals(Contender.READY)) {
        throw new WorkFailedException("%s printed '%s'".formatted(contender.name(), line));
      }
      return live;
    } catch (RuntimeException e) {
      live.close();
      throw e;
    }
  }

  private static RandomAccessFile pipe(Path path) {
    Children.run(List.of("mkfifo", path.toString()));
    try {
      // Opened for both directions it does not wait for a reader, and is there before one.
      return new RandomAccessFile(path.toFile(), "rw");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run(Path prefix) {
    RuntimeException end = new WorkFailedException(contender.name() + " has ended");
    try {
      contender.run(prefix, line -> heard.add(new Heard(line, null)));
    } catch (RuntimeException e) {
      end = e;
    }
    heard.add(new Heard(null, end));
  }

  /** Sends all ranks a line that says what to do; returns the line with the result. */
  public String ask(String request) {
    byte[] line = (request + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      for (RandomAccessFile pipe : pipes) {
        pipe.write(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer();
  }

  private String answer() {
    try {
      Heard next = heard.poll(LONGEST_SILENCE.toSeconds(), TimeUnit.SECONDS);
      if (next == null) {
        throw new WorkFailedException(
            "%s printed nothing for %d s".formatted(contender.name(), LONGEST_SILENCE.toSeconds()));
      }
      if (next.end() != null) {
        throw next.end();
      }
      return next.line();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while " + contender.name() + " measured", e);
    }
  }

  /** Ends the pipes and waits until the ranks have ended. */
  @Override
  public void close() {
    try {
      for (RandomAccessFile pipe : pipes) {
        pipe.close();
      }
      ranks.join(PATIENCE_AT_END);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // Whoever waits for the ranks ends them when it is interrupted.
    ranks.interrupt();
  }
}
