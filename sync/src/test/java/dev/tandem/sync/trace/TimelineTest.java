package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineTest {

  @TempDir Path folder;

  @Test
  void aFileThatCannotBeMadeTakesNoEvents() {
    Path nowhere = folder.resolve("missing").resolve("timeline.json");
    TimelineFile.create(nowhere);
    try (TimelineFile file = TimelineFile.open(nowhere, 4)) {
      assertFalse(file.add("{}"));
    }
  }

  @Test
  void allRanksWriteOneFile() throws Exception {
    Path file = folder.resolve("timeline.json");
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<?>> ranks = new ArrayList<>();
      for (Communicator communicator : Communicator.threads(2)) {
        ranks.add(threads.submit(() -> train(communicator, file)));
      }
      for (Future<?> rank : ranks) {
        rank.get();
      }
    }
    String text = Files.readString(file);
    assertEquals("", JsonCheck.problem(text));
    for (String part :
        List.of("\"rank 0\"", "\"rank 1\"", "\"a \\\"quoted\\\" name\"", "FUSED TRANSFER")) {
      assertTrue(text.contains(part), part);
    }
  }

  private static void train(Communicator communicator, Path file) {
    try (communicator;
        Timeline timeline = Timeline.begin(communicator, file);
        Synchronizer synchronizer =
            Synchronizer.over(communicator, SyncOptions.of("topo")).observedBy(timeline).start()) {
      for (int step = 0; step < 6; step++) {
        synchronizer.submit(tensor("a \"quoted\" name"), 1);
        synchronizer.submit(tensor("another"), 1);
        synchronizer.await();
      }
      communicator.barrier();
    }
  }

  private static TensorView tensor(String name) {
    return new TensorView(name, DType.FLOAT32, Shape.of(2), MemorySegment.ofArray(new float[2]));
  }

  /** Whenever a rank is killed, what it has written so far is there, and the file is whole. */
  @Test
  void theFileIsWholeAfterEveryEventUntilItIsFull() throws Exception {
    Path file = folder.resolve("small.json");
    TimelineFile.create(file);
    assertEquals("", JsonCheck.problem(Files.readString(file)));
    boolean[] room = {true, true};
    try (TimelineFile first = TimelineFile.open(file, 4);
        TimelineFile second = TimelineFile.open(file, 2)) {
      for (int i = 0; room[0] || room[1]; i++) {
        String event = "{\"name\":\"%s\"}".formatted("x".repeat(i * 37 % 900));
        room[0] = room[0] && first.add(event);
        room[1] = room[1] && second.add(event);
        assertEquals("", JsonCheck.problem(Files.readString(file)), "after event " + i);
      }
    }
  }

  @Test
  void mostOfTheFileIsEvents() throws Exception {
    Path file = folder.resolve("large.json");
    TimelineFile.create(file);
    String event = "{\"name\":\"%s\"}".formatted("x".repeat(80));
    int events = 2_000;
    try (TimelineFile first = TimelineFile.open(file, 2_048);
        TimelineFile second = TimelineFile.open(file, 2_048)) {
      for (int i = 0; i < events; i++) {
        assertTrue(first.add(event) && second.add(event));
      }
    }
    assertEquals("", JsonCheck.problem(Files.readString(file)));
    long bytes = 2L * events * event.length();
    assertTrue(Files.size(file) < 2 * bytes, Files.size(file) + " for " + bytes);
  }

  /** A rank that is killed while it adds pages may leave no end: the next one puts one there. */
  @Test
  void aFileWithoutItsEndIsRepaired() throws Exception {
    Path file = folder.resolve("torn.json");
    TimelineFile.create(file);
    try (TimelineFile first = TimelineFile.open(file, 10)) {
      assertTrue(first.add("{\"name\":\"one\"}"));
    }
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 60));
    try (TimelineFile second = TimelineFile.open(file, 10)) {
      assertTrue(second.add("{\"name\":\"two\"}"));
    }
    assertEquals("", JsonCheck.problem(Files.readString(file)));
    assertTrue(Files.readString(file).contains("one"));
  }
}
