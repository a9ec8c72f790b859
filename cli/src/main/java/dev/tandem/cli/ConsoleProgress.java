package dev.tandem.cli;

import dev.tandem.core.Progress;
import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Progress on standard error: one line that redraws itself on a terminal, a plain line now and then
 * elsewhere. Shows rate and time left.
 */
public final class ConsoleProgress implements Progress {

  private static final int BAR_WIDTH = 24;
  private static final Duration REDRAW = Duration.ofMillis(100);

  /** A rate over a shorter time says nothing. */
  private static final Duration MEANINGFUL = Duration.ofMillis(500);

  private static final Duration PLAIN_LINE = Duration.ofSeconds(5);

  private final PrintStream stream;
  private final boolean terminal;
  private final LongSupplier nanoClock;

  ConsoleProgress(PrintStream stream, boolean terminal, LongSupplier nanoClock) {
    this.stream = stream;
    this.terminal = terminal;
    this.nanoClock = nanoClock;
  }

  /** On standard error; bars if a person sits there. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 does return null again without a terminal.
  public static ConsoleProgress system() {
    Console console = System.console();
    return new ConsoleProgress(
        System.err, console != null && console.isTerminal(), System::nanoTime);
  }

  @Override
  public Task start(String label, long total, String unit) {
    return new Line(label, total, unit);
  }

  private final class Line implements Task {
    private final String label;
    private final long total;
    private final String unit;
    private final long began = nanoClock.getAsLong();
    private long lastShown = began - PLAIN_LINE.toNanos();
    private long lastShownDone = -1;
    private long done;
    private String remark = "";

    Line(String label, long total, String unit) {
      this.label = label;
      this.total = total;
      this.unit = unit;
      if (terminal) {
        show();
      }
    }

    @Override
    public synchronized void advanceTo(long units, String text) {
      done = units;
      remark = text;
      Duration pause = terminal ? REDRAW : PLAIN_LINE;
      if (nanoClock.getAsLong() - lastShown >= pause.toNanos()) {
        show();
      }
    }

    @Override
    public synchronized void close() {
      if (terminal || lastShownDone != done) {
        show();
      }
      if (terminal) {
        stream.println();
      }
    }

    private void show() {
      long now = nanoClock.getAsLong();
      lastShown = now;
      lastShownDone = done;
      double seconds = Math.max(1e-9, (now - began) / 1e9);
      double rate = done / seconds;
      StringBuilder text = new StringBuilder(label);
      if (total > 0) {
        double share = Math.min(1.0, (double) done / total);
        if (terminal) {
          int filled = (int) Math.round(share * BAR_WIDTH);
          text.append(" [").repeat("=", filled).repeat(" ", BAR_WIDTH - filled).append(']');
        }
        text.append(String.format(Locale.ROOT, " %3.0f%%", share * 100));
      }
      text.append(String.format(Locale.ROOT, "  %,d %s", done, unit));
      if (now - began >= MEANINGFUL.toNanos()) {
        text.append(String.format(Locale.ROOT, ", %,.0f/s", rate));
        text.append(
            total > done && done > 0
                ? ", " + time((total - done) / rate) + " left"
                : ", " + time(seconds));
      }
      if (!remark.isEmpty()) {
        text.append("  ").append(remark);
      }
      if (terminal) {
        stream.print("\r" + text + "\033[K");
        stream.flush();
      } else {
        stream.println(text);
      }
    }

    private static String time(double seconds) {
      long whole = Math.round(seconds);
      return whole < 60 ? whole + " s" : "%d:%02d min".formatted(whole / 60, whole % 60);
    }
  }
}
