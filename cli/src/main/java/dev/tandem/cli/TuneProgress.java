package dev.tandem.cli;

import dev.tandem.tune.StudyState;
import dev.tandem.tune.StudyWatcher;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.TrialState;
import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How a study goes, on standard error: a line that redraws itself on a terminal, or plain ones. */
final class TuneProgress implements StudyWatcher, AutoCloseable {

  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration PLAIN = Duration.ofSeconds(5);
  private static final String CLEAR = "\r\033[K";

  private final PrintStream stream;
  private final boolean terminal;
  private final Direction direction;
  private final long trials;
  private final long began = System.nanoTime();
  private int endedBefore = -1;
  private long shown;

  TuneProgress(PrintStream stream, boolean terminal, Direction direction, long trials) {
    this.stream = stream;
    this.terminal = terminal;
    this.direction = direction;
    this.trials = trials;
    this.shown = began;
  }

  /** On standard error. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 does return null again without a terminal.
  static TuneProgress system(Direction direction, long trials) {
    Console console = System.console();
    boolean terminal = console != null && console.isTerminal();
    return new TuneProgress(System.err, terminal, direction, trials);
  }

  @Override
  public void changed(StudyState state, int running, Map<Long, String> waiting) {
    if (endedBefore < 0) {
      endedBefore = state.byArrival().size();
    }
    long now = System.nanoTime();
    if (now - shown < (terminal ? REDRAW : PLAIN).toNanos()) {
      return;
    }
    shown = now;
    String line = line(state, running, waiting, (now - began) / 1e9);
    if (terminal) {
      stream.print(CLEAR + line);
      stream.flush();
    } else {
      stream.println(line);
    }
  }

  private String line(StudyState state, int running, Map<Long, String> waiting, double seconds) {
    int ended = state.byArrival().size();
    List<String> parts = new ArrayList<>();
    parts.add("%d of %d trials".formatted(ended, trials));
    long wait = waiting.size();
    parts.add(Math.max(0, running - wait) + " running");
    add(parts, state, TrialState.PRUNED, "pruned");
    int failed =
        state.count(TrialState.FAILED)
            + state.count(TrialState.TIMED_OUT)
            + state.count(TrialState.LOST);
    if (failed > 0) {
      parts.add(failed + " failed");
    }
    state
        .best()
        .ifPresent(
            best ->
                parts.add(
                    "%s %.6g (trial %d)"
                        .formatted(
                            direction == Direction.MINIMIZE ? "least" : "greatest",
                            best.value(),
                            best.number())));
    double rate = (ended - endedBefore) / seconds;
    if (rate > 0) {
      parts.add(String.format(Locale.ROOT, "%.2f trials/s", rate));
      parts.add(String.format(Locale.ROOT, "%.0f s left", (trials - ended) / rate));
    }
    waiting.entrySet().stream()
        .findFirst()
        .ifPresent(
            each ->
                parts.add(
                    "trial %d waits for %s%s"
                        .formatted(
                            each.getKey(),
                            each.getValue(),
                            wait == 1 ? "" : " (and %d more wait)".formatted(wait - 1))));
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, StudyState state, TrialState which, String word) {
    if (state.count(which) > 0) {
      parts.add(state.count(which) + " " + word);
    }
  }

  @Override
  public void note(String line) {
    stream.println((terminal ? CLEAR : "") + line);
  }

  @Override
  public void close() {
    if (terminal) {
      stream.print(CLEAR);
      stream.flush();
    }
  }
}
