package dev.tandem.board;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Folders of runs as `tandem train` leaves them, in files written by hand. */
final class RunFixture {

  private RunFixture() {}

  /** A run of version 2 with 40 steps, of which the last 10 were made twice. */
  static Path second(Path folder, String state) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("run.json"),
        """
        {"version":2,"id":"00","name":"mine","state":"%s","began":"2026-11-18T10:00:00Z",
         "ended":"2026-11-18T10:02:05Z","command":["./tandem","train","my own.yaml","-n","2"],
         "ranks":2,"hosts":[{"name":"host1","ranks":2,"processors":4,"memory":8589934592,
         "cpu":"a <b>CPU</b>"}],"tandem":"0.1.0","commit":"abc1234","java":"25","engine":"libtorch",
         "totalSteps":40,"unknown":[1]}
        """
            .formatted(state));
    Files.writeString(
        folder.resolve("config.yaml"),
        "data:\n  class-names: [cat, '<script>dog', bird]\n  api-token: abc\nepochs: 4\n");
    StringBuilder lines = new StringBuilder();
    steps(lines, 1, 30);
    lines.append("{\"t\":1763460030000,\"event\":\"rewind\",\"step\":20}\n");
    steps(lines, 21, 40);
    lines.append(
        """
        {"t":1763460041000,"event":"epoch","epoch":4,"step":40,"testAccuracy":0.75,"testLoss":0.5,\
        "samples":12,"top5":1.0,"classes":[{"right":4,"count":4},{"right":3,"count":4},\
        {"right":2,"count":4}],"confusion":[[4,0,0],[1,3,0],[0,2,2]]}
        {"t":1763460041500,"event":"stragglers","step":40,"cause":"INPUT","rank":1,\
        "sentence":"rank 1 is late","rows":[{"rank":0,"inputMillis":1.5},{"rank":1,"inputMillis":9}]}
        {"t":1763460042000,"event":"something new","step":40}
        {"t":1763460043000,"event":"result","accuracy":0.75,"bestAccuracy":0.75,"bestStep":40,\
        "imagesPerSecond":640,"ranks":2,"replicasIdentical":true,"steps":40,"trainSeconds":2}
        {"t":1763460044000,"event":"step","step":41,"lo""");
    Files.writeString(folder.resolve("metrics.jsonl"), lines);
    return folder;
  }

  private static void steps(StringBuilder lines, int from, int last) {
    for (int step = from; step <= last; step++) {
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"t\":%d,\"event\":\"step\",\"step\":%d,\"images\":%d,\"totalImages\":1280,"
                  + "\"loss\":%.4f,\"learningRate\":0.05,\"gradientNorm\":%.3f,\"batch\":32,"
                  + "\"accuracy\":%.3f,\"ms\":50}%n",
              1763460000000L + 1000L * step,
              step,
              32L * step,
              2.0 / step,
              1.0 + step % 7,
              step / 50.0));
    }
  }

  /** A run of version 1: no `run.json`, no times. */
  static Path first(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.createFile(folder.resolve(".tandem-run"));
    Files.writeString(folder.resolve("config.yaml"), "epochs: 1\n");
    Files.writeString(
        folder.resolve("metrics.jsonl"),
        """
        {"event":"step","step":1,"images":8,"totalImages":8,"loss":1.5,"learningRate":0.1,\
        "gradientNorm":2.0,"batch":8}
        {"event":"epoch","epoch":1,"step":1,"testAccuracy":0.5,"testLoss":1.25}
        {"event":"result","accuracy":0.5,"testLoss":1.25,"bestAccuracy":0.5,"bestStep":1,\
        "imagesPerSecond":10,"ranks":3,"replicasIdentical":true,"steps":1}
        """);
    return folder;
  }
}
