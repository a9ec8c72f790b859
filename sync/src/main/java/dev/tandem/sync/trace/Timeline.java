package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.agent.Transfer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes what all ranks do into one Chrome trace file, which Perfetto opens: one process for each
 * rank, with a row for the phases of training, one for the background thread that synchronises and
 * one for each tensor, by rank 0's clock. The file is valid JSON at every moment; see {@code Note
 * [always valid]}. All ranks must reach it: on several hosts it lies on a file system that they
 * share.
 *
 * <p>Thread-safe.
 */
public final class Timeline implements SyncObserver, AutoCloseable {

  /** 8 MiB, about 80,000 events. */
  private static final int PAGES_OF_RANK = 2048;

  private static final int TRAINING = 0;
  private static final int BACKGROUND = 1;

  private final TimelineFile file;
  private final int rank;
  private final long origin;
  private final Map<String, Integer> rows = new HashMap<>();
  private final Map<String, Long> requested = new HashMap<>();

  private Timeline(TimelineFile file, int rank, long origin) {
    this.file = file;
    this.rank = rank;
    this.origin = origin;
  }

  /** Begins a new file; all ranks do this at the same time. */
  public static Timeline begin(Communicator communicator, Path path) {
    ClockAlignment clock = ClockAlignment.measure(communicator);
    if (communicator.rank() == 0) {
      TimelineFile.create(path);
    }
    long[] start = {System.nanoTime()};
    communicator.broadcast(MemorySegment.ofArray(start), 0);
    Timeline timeline =
        new Timeline(
            TimelineFile.open(path, PAGES_OF_RANK), communicator.rank(), start[0] + clock.nanos());
    timeline.name("process_name", TRAINING, "rank " + communicator.rank());
    timeline.name("thread_name", TRAINING, "training");
    timeline.name("thread_name", BACKGROUND, "background thread");
    return timeline;
  }

  private synchronized void name(String what, int row, String name) {
    file.add(
        "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":%s}}"
            .formatted(what, rank, row, quoted(name)));
  }

  /** The training thread spent this time on something, such as {@code forward}. */
  public synchronized void phase(String name, long beginNanos, long endNanos) {
    slice(name, TRAINING, beginNanos, endNanos);
  }

  @Override
  public synchronized void requested(String name, long nanos) {
    requested.put(name, nanos);
  }

  @Override
  public synchronized void slept(long wantedNanos, long beginNanos, long endNanos) {
    if (wantedNanos > 0) {
      slice("sleep", BACKGROUND, beginNanos, endNanos);
    }
  }

  @Override
  public synchronized void agreed(long beginNanos, long endNanos) {
    slice("wait for all ranks", BACKGROUND, beginNanos, endNanos);
  }

  @Override
  public synchronized void transferred(Transfer transfer) {
    List<String> names = transfer.names();
    slice(
        "transfer of %d tensors, %d bytes".formatted(names.size(), transfer.bytes()),
        BACKGROUND,
        transfer.beginNanos(),
        transfer.endNanos());
    slice("COPY IN", BACKGROUND, transfer.beginNanos(), transfer.sendNanos());
    slice("COLLECTIVE", BACKGROUND, transfer.sendNanos(), transfer.arrivedNanos());
    slice("COPY OUT", BACKGROUND, transfer.arrivedNanos(), transfer.endNanos());
    for (String name : names) {
      int tensor = rows.computeIfAbsent(name, this::newRow);
      Long since = requested.remove(name);
      if (since != null) {
        slice("NEGOTIATE", tensor, since, transfer.beginNanos());
      }
      slice(
          names.size() > 1 ? "FUSED TRANSFER" : "TRANSFER",
          tensor,
          transfer.beginNanos(),
          transfer.endNanos());
    }
  }

  @Override
  public synchronized void remark(String line) {
    long now = System.nanoTime();
    file.add(
        "{\"name\":%s,\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":%d,\"ts\":%s}"
            .formatted(quoted(line), rank, BACKGROUND, micros(now - origin)));
  }

  private int newRow(String name) {
    int row = BACKGROUND + 1 + rows.size();
    name("thread_name", row, name);
    return row;
  }

  private void slice(String name, int row, long beginNanos, long endNanos) {
    file.add(
        "{\"name\":%s,\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%s,\"dur\":%s}"
            .formatted(
                quoted(name),
                rank,
                row,
                micros(beginNanos - origin),
                micros(endNanos - beginNanos)));
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e3);
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** Ends this rank's part; close the synchroniser first. */
  @Override
  public synchronized void close() {
    file.close();
  }
}
