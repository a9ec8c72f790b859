package dev.tandem.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.board.RunInfo;
import dev.tandem.core.UsageException;
import dev.tandem.train.run.RunLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run belongs to one process, also while that process looks at it. */
class RunInUseTest {

  @TempDir private Path run;

  @Test
  void lookingAtTheRunKeepsItsLock() throws Exception {
    Files.writeString(run.resolve("run.json"), "{\"version\": 2, \"state\": \"running\"}");
    assertEquals("lost", RunInfo.of(run).orElseThrow().state());
    try (RunLock _ = RunLock.take(run)) {
      assertEquals("running", RunInfo.of(run).orElseThrow().state());
      assertTrue(Files.readString(run.resolve("run.lock")).contains(" "));
      String said = takenElsewhere();
      assertTrue(
          said.contains("is in use by process " + ProcessHandle.current().pid() + " on "), said);
    }
    assertEquals("free", takenElsewhere());
  }

  /** What another process hears that wants the run. */
  private String takenElsewhere() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Taker.class.getName(), run.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
  }

  /** Another process. */
  static final class Taker {

    private Taker() {}

    public static void main(String[] arguments) {
      try (RunLock _ = RunLock.take(Path.of(arguments[0]))) {
        System.out.println("free");
      } catch (UsageException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
