package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The launcher makes what is missing or stale, and nothing else. */
class LauncherTest {

  private static final List<String> NOTHING = List.of();
  private static final List<String> CACHES = List.of("cache", "cache");
  private static final List<String> ALL = List.of("maven", "cache", "cache");
  private static final String SOURCE = "home/core/src/main/java/Core.java";
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir Path folder;

  private FakeCheckout checkout;

  @BeforeEach
  void checkOut() {
    checkout = new FakeCheckout(folder);
  }

  private void assertRuns(List<String> calls) throws Exception {
    FakeCheckout.Run run = checkout.run("data", "stat");
    assertEquals(new FakeCheckout.Run(0, "tandem ran stat\n", run.err()), run);
    assertEquals(calls, checkout.calls(), run.err());
    assertEquals(calls.isEmpty(), run.err().isEmpty(), run.err());
  }

  @Test
  void theFirstCommandBuildsAndShowsProgressLaterOnesOnlyRun() throws Exception {
    assertEquals(
        new FakeCheckout.Run(
            0,
            "tandem ran stat\n",
            """
            tandem: building (log: target/build.log)
            tandem: building tandem-core (1 of 2)
            tandem: building tandem-cli (2 of 2)
            tandem: preparing fast starts (1 of 2)
            tandem: preparing fast starts (2 of 2)
            """),
        checkout.run("data", "stat"));
    assertEquals(ALL, checkout.calls());
    assertRuns(NOTHING);
  }

  /** A change after the first build, and the calls that the next command must make. */
  record Change(String name, List<String> calls, Consumer<FakeCheckout> make) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Change> changes() {
    return List.of(
        new Change("test", NOTHING, c -> c.write("home/core/src/test/java/CoreTest.java", "2")),
        new Change("source", ALL, c -> c.write(SOURCE, "two")),
        new Change("broken cache", CACHES, c -> c.write("home/target/app/commands.aot", "x")),
        new Change("updated JDK", CACHES, c -> c.jdk("jdk", "25.0.4")));
  }

  static List<Change> furtherChanges() {
    return List.of(
        new Change("new source", ALL, c -> c.write("home/core/src/main/java/New.java", "n")),
        new Change("deleted source", ALL, c -> c.delete(SOURCE)),
        new Change("resource", ALL, c -> c.write("home/cli/src/main/resources/r.txt", "r")),
        new Change("pom", ALL, c -> c.write("home/pom.xml", "<other/>")),
        new Change("broken library", ALL, c -> c.write("home/target/app/lib/core.jar", "x")),
        new Change("broken peer", ALL, c -> c.write("home/target/app/bench/jhdf.jar", "x")),
        new Change("JVM flags", CACHES, c -> c.write("home/jvm.options", "-Xmx1g")),
        new Change("other JDK", CACHES, c -> c.useJdk("elsewhere", "26-ea")),
        new Change("same JDK elsewhere", NOTHING, c -> c.useJdk("elsewhere", "25.0.3")),
        new Change("other processor", ALL, FakeCheckout::changeProcessor));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void onlyWhatIsStaleIsMadeAgain(Change change) throws Exception {
    assertRuns(ALL);
    change.make.accept(checkout);
    assertRuns(change.calls);
    assertRuns(NOTHING);
  }

  @ParameterizedTest
  @MethodSource("furtherChanges")
  @Tag("slow")
  void alsoAfterFurtherChanges(Change change) throws Exception {
    onlyWhatIsStaleIsMadeAgain(change);
  }

  @Test
  @Tag("slow")
  void anyFileOfABuildMayBeDeleted() throws Exception {
    assertRuns(ALL);
    for (Path file : built()) {
      Files.delete(file);
      assertEquals(0, checkout.run("data", "stat").code(), file.toString());
      checkout.calls();
      assertRuns(NOTHING);
    }
  }

  private List<Path> built() throws IOException {
    try (Stream<Path> files = Files.walk(checkout.path("home"))) {
      return files
          .filter(f -> f.toString().contains("/target/") && Files.isRegularFile(f))
          .toList();
    }
  }

  @Test
  void benchmarksAreAProgramOfTheirOwn() throws Exception {
    assertRuns(ALL);
    FakeCheckout.Run read = checkout.run("bench", "read");
    assertEquals(new FakeCheckout.Run(0, "bench ran read\n", ""), read);
    FakeCheckout.Run help = checkout.run("help", "bench");
    assertEquals(new FakeCheckout.Run(0, "bench ran --help\n", ""), help);
    assertFalse(Files.exists(checkout.path("home/target/app/lib/jhdf.jar")));
  }

  @Test
  void aMovedCheckoutRunsAsItIs() throws Exception {
    assertRuns(ALL);
    Files.move(checkout.path("home"), checkout.path("moved here"));
    assertEquals(
        new FakeCheckout.Run(0, "tandem ran stat\n", ""),
        checkout.runIn("moved here", "data", "stat"));
    assertEquals(NOTHING, checkout.calls());
  }

  @Test
  void testsPrintTheirCountsAndLeaveWhatRunsAlone() throws Exception {
    assertRuns(ALL);
    Path json = checkout.path("counts.json");
    FakeCheckout.Run run = checkout.run("test", "--json", json.toString());
    assertEquals(0, run.code(), run.err());
    assertTrue(
        run.out().endsWith("\ntandem: 42 tests, 0 failures, 0 errors, 2 skipped\n"), run.out());
    assertEquals(
        "{\"passed\":true,\"tests\":42,\"failures\":0,\"errors\":0,\"skipped\":2}\n",
        Files.readString(json));
    assertEquals(List.of("maven"), checkout.calls());
    assertRuns(NOTHING);
  }

  @Test
  void aFailedBuildSaysWhyAndTheNextGoesOn() throws Exception {
    checkout.write("error", "Core.java does not compile");
    FakeCheckout.Run run = checkout.run("demo");
    assertEquals(1, run.code());
    assertEquals("", run.out());
    assertTrue(
        run.err()
            .endsWith(
                """
                [ERROR] Core.java does not compile
                tandem: the build failed; the whole log is in target/build.log
                """),
        run.err());
    checkout.write("home/core/target/classes/Core.class", "kept");
    checkout.calls();
    checkout.delete("error");
    assertRuns(ALL);
    assertTrue(Files.exists(checkout.path("home/core/target/classes/Core.class")));
  }

  @Test
  void whatAFullDiskLeftHalfWrittenIsNotUsed() throws Exception {
    checkout.write("error", "Core.class: No space left on device");
    assertEquals(1, checkout.run("demo").code());
    checkout.delete("error");
    assertBuildsFromNothing();
  }

  @Test
  void whatAKilledMavenLeftHalfWrittenIsNotUsed() throws Exception {
    checkout.write("kill", "");
    assertEquals(1, checkout.run("demo").code());
    checkout.delete("kill");
    assertBuildsFromNothing();
  }

  @Test
  void whatAKilledBuildLeftHalfWrittenIsNotUsed() throws Exception {
    checkout.gate();
    Process first = checkout.start("demo");
    Watchdog.within(LIMIT, () -> awaitLine(first, "tandem: building tandem-core (1 of 2)"));
    first.descendants().forEach(ProcessHandle::destroyForcibly);
    first.destroyForcibly().waitFor();
    checkout.delete("gate");
    assertBuildsFromNothing();
  }

  /** Sources with times before those of classes that were made of others: unpacked over them. */
  @Test
  void sourcesReplacedByOlderOnesAreCompiled() throws Exception {
    assertRuns(ALL);
    checkout.write(SOURCE, "another");
    FileTime old = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
    Files.setLastModifiedTime(checkout.path(SOURCE), old);
    assertBuildsFromNothing();
  }

  private void assertBuildsFromNothing() throws Exception {
    checkout.write("home/core/target/classes/Core.class", "half");
    checkout.write("home/runs/target/checkpoint", "mine");
    checkout.calls();
    assertRuns(ALL);
    assertFalse(Files.exists(checkout.path("home/core/target/classes/Core.class")));
    assertTrue(Files.exists(checkout.path("home/runs/target/checkpoint")));
  }

  @Test
  void ofTwoAtOnceTheSecondWaitsAndFindsTheWorkDone() throws Exception {
    checkout.gate();
    Process first = checkout.start("data", "stat");
    Watchdog.within(LIMIT, () -> awaitLine(first, "tandem: building tandem-core (1 of 2)"));
    Process second = checkout.start("data", "stat");
    String waiting = "tandem: waiting for another build or test of this checkout ...";
    Watchdog.within(LIMIT, () -> awaitLine(second, waiting));
    checkout.write("gate", "");
    for (Process process : List.of(first, second)) {
      FakeCheckout.Run run = Watchdog.within(LIMIT, () -> FakeCheckout.end(process));
      assertEquals(new FakeCheckout.Run(0, "tandem ran stat\n", run.err()), run);
    }
    assertEquals(ALL, checkout.calls());
  }

  /** Reads standard error byte by byte, so that what follows the line is still there. */
  private static String awaitLine(Process process, String wanted) throws IOException {
    StringBuilder read = new StringBuilder();
    while (!read.toString().endsWith(wanted + "\n")) {
      int next = process.getErrorStream().read();
      assertTrue(next >= 0, "ended without '" + wanted + "': " + read);
      read.append((char) next);
    }
    return wanted;
  }
}
