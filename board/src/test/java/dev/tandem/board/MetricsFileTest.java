package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsFileTest {

  @TempDir Path folder;

  @Test
  void everyStepIsThereOnceHoweverOftenTheRunWasSetBack() throws IOException {
    SplittableRandom random = TestSeed.of(MetricsFileTest.class).random();
    for (int round = 0; round < 50; round++) {
      StringBuilder text = new StringBuilder();
      long step = 0;
      long line = 0;
      List<Long> expected = new ArrayList<>();
      for (int i = 0; i < random.nextInt(200); i++) {
        switch (random.nextInt(12)) {
          case 0 -> {
            step = random.nextLong(step + 1);
            expected = new ArrayList<>(expected.subList(0, (int) step));
            text.append("{\"event\":\"rewind\",\"step\":").append(step).append("}\n");
          }
          case 1 -> text.append("{\"event\":\"st\n");
          case 2 -> text.append("{\"event\":\"from the future\",\"x\":[]}\n");
          case 3 -> text.append("rewind\n");
          default -> {
            step++;
            expected.add(++line);
            text.append("{\"event\":\"step\",\"step\":%d,\"line\":%d}%n".formatted(step, line));
          }
        }
      }
      text.append("{\"event\":\"step\",\"step\":").append(step + 1).append(",\"line\":0}");
      Path file = Files.writeString(folder.resolve("metrics.jsonl"), text);
      List<Long> lines = new ArrayList<>();
      List<Long> steps = new ArrayList<>();
      MetricsFile.forEach(
          file,
          event -> {
            if (event.path("event").asText().equals("step")) {
              lines.add(event.path("line").asLong());
              steps.add(event.path("step").asLong());
            }
          });
      assertEquals(expected, lines);
      for (int i = 0; i < steps.size(); i++) {
        assertEquals(i + 1, steps.get(i));
      }
    }
  }
}
