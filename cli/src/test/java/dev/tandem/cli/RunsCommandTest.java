package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RunsCommandTest {

  @TempDir Path runs;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int tandem(Object... words) {
    CommandLine program = Tandem.commandLine();
    program.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return program.execute(List.of(words).stream().map(Object::toString).toArray(String[]::new));
  }

  /** A run without a {@code run.json}: all that version 1 leaves. */
  private Path old() throws IOException {
    Path run = Files.createDirectories(runs.resolve("old"));
    Files.createFile(run.resolve(".tandem-run"));
    Files.writeString(run.resolve("config.yaml"), "epochs: 1\n");
    Files.writeString(
        run.resolve("metrics.jsonl"),
        """
        {"event":"step","step":1,"images":8,"totalImages":8,"loss":1.5,"batch":8}
        {"event":"epoch","epoch":1,"step":1,"testAccuracy":0.5,"testLoss":1.25}
        """);
    return run;
  }

  private Path current(String state) throws IOException {
    Path run = Files.createDirectories(runs.resolve("new"));
    Files.writeString(
        run.resolve("run.json"),
        "{\"version\":2,\"state\":\"%s\",\"began\":\"2026-11-18T10:00:00Z\",\"ranks\":2,\"totalSteps\":9}"
            .formatted(state));
    Files.writeString(run.resolve("run.lock"), "1 host 2026-11-18T10:00:00Z");
    Files.writeString(
        run.resolve("metrics.jsonl"),
        """
        {"t":1,"event":"step","step":1,"loss":3.5}
        {"t":2,"event":"step","step":2,"loss":2.5}
        {"t":3,"event":"rewind","step":1}
        {"t":4,"event":"step","step":2,"loss":2.25}
        {"t":5,"event":"ranks","step":2,"input":[0.5,0.25],"note":"a, \\"b\\""}
        """);
    return run;
  }

  @Test
  void runsOfBothVersionsAreListedAndShown() throws Exception {
    old();
    current("running");
    Path json = runs.resolve("ls.json");
    assertEquals(0, tandem("runs", "ls", runs, "--json", json), err::toString);
    JsonNode list = new ObjectMapper().readTree(json.toFile());
    assertEquals("old", list.at("/0/name").asText());
    assertEquals("unknown", list.at("/0/state").asText());
    assertEquals(0.5, list.at("/0/accuracy").asDouble());
    assertEquals("lost", list.at("/1/state").asText(), "nobody holds its lock");
    assertEquals(2.25, list.at("/1/loss").asDouble());
    assertTrue(out.toString().contains("2/9"), out::toString);
    assertEquals(0, tandem("runs", "show", runs.resolve("new"), "--report"), err::toString);
    assertTrue(Files.size(runs.resolve("new/report.html")) > 50_000);
  }

  @Test
  void numbersAreExportedOnce() throws Exception {
    Path run = current("done");
    assertEquals(0, tandem("runs", "export", run, "--csv"), err::toString);
    assertEquals("t,event,step,loss\r\n1,step,1,3.5\r\n4,step,2,2.25\r\n", out.toString());
    Path file = runs.resolve("ranks.csv");
    int code = tandem("runs", "export", run, "--csv", "--events", "ranks", "--output", file);
    assertEquals(0, code, err::toString);
    assertEquals(
        "t,event,step,input.0,input.1,note\r\n5,ranks,2,0.5,0.25,\"a, \"\"b\"\"\"\r\n",
        Files.readString(file));
    assertEquals(2, tandem("runs", "export", run, "--csv", "--events", "nothing"));
  }

  @Test
  void aRunIsRemovedOnlyWithConsentAndNotWhileItIsInUse() throws Exception {
    Path run = current("running");
    assertEquals(2, tandem("runs", "rm", run));
    assertTrue(err.toString().contains("add --yes"), err::toString);
    Process holder = LockHolder.start(run.resolve("run.lock"));
    try {
      assertEquals(2, tandem("runs", "rm", run, "--yes"));
      assertTrue(err.toString().contains("in use"), err::toString);
      assertTrue(Files.exists(run.resolve("metrics.jsonl")));
      assertEquals(0, tandem("runs", "ls", runs), err::toString);
      assertTrue(out.toString().contains("running"), out::toString);
    } finally {
      holder.destroyForcibly().waitFor();
    }
    assertEquals(0, tandem("runs", "rm", run, "--yes"), err::toString);
    assertFalse(Files.exists(run));
    assertEquals(2, tandem("runs", "rm", runs, "--yes"), "a folder that is no run");
  }

  /** Another process that holds the lock of a run until it is ended. */
  public static final class LockHolder {

    private LockHolder() {}

    static Process start(Path lock) throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LockHolder.class.getName(),
                  lock.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      assertEquals('+', process.getInputStream().read(), "it has the lock");
      return process;
    }

    /** Takes the lock and says so. */
    public static void main(String[] arguments) throws Exception {
      SharedFile file = SharedFile.openOrCreate(Path.of(arguments[0]));
      if (!file.tryLockExclusive(0)) {
        throw new IllegalStateException("someone else has the lock");
      }
      System.out.print('+');
      System.out.flush();
      var _ = System.in.read(); // until the test ends this process, or ends
    }
  }
}
