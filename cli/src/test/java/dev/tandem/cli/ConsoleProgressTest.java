package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConsoleProgressTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private final AtomicLong clock = new AtomicLong();

  @Test
  void plainLinesEveryFewSeconds() {
    Progress progress = new ConsoleProgress(stream, false, clock::get);
    try (Progress.Task task = progress.start("training", 1_000, "images")) {
      for (int second = 1; second <= 10; second++) {
        clock.set(TimeUnit.SECONDS.toNanos(second));
        task.advanceTo(second * 100L, "loss 0.50");
      }
    }
    assertEquals(
        """
        training  10%  100 images, 100/s, 9 s left  loss 0.50
        training  60%  600 images, 100/s, 4 s left  loss 0.50
        training 100%  1,000 images, 100/s, 10 s  loss 0.50
        """,
        bytes.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aTerminalLineRedrawsItself() {
    Progress progress = new ConsoleProgress(stream, true, clock::get);
    try (Progress.Task task = progress.start("reading", 400, "MB")) {
      clock.set(TimeUnit.SECONDS.toNanos(100));
      task.advanceTo(100);
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    String line = "\rreading [======                  ]  25%  100 MB, 1/s, 5:00 min left\033[K";
    assertEquals(
        "\rreading [                        ]   0%  0 MB\033[K" + line + line + "\n", text);
  }
}
