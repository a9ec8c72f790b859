package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.posix.Affinity;
import dev.tandem.testkit.Watchdog;
import dev.tandem.train.config.ConfigFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example with policy scp in a real rank: where the kernel lets its threads run. */
class CorePlacementTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir static Path folder;

  @BeforeAll
  static void drawDigits() {
    assumeTrue(Affinity.capability().value().isPresent());
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 2_000, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
  }

  /** One rank of the example; a line of it for the user about its cores. */
  private static String start(int epochs, int fewestCores, BlockingQueue<String> lines)
      throws Exception {
    Path run = Files.createDirectories(folder.resolve("run-" + fewestCores));
    ConfigFile.read(Path.of("..", "examples", "scp.yaml"))
        .with(
            List.of(
                "data.train=" + folder.resolve("train"),
                "data.test=" + folder.resolve("test"),
                "threads=2",
                "epochs=" + epochs))
        .config()
        .save(run);
    LaunchPlan usual = LaunchPlan.of(1, RankMain.class.getName(), List.of(run.toString()));
    List<String> flags = new ArrayList<>(usual.jvmFlags());
    flags.add("-Dtandem.scp.cores=" + fewestCores);
    ProcessLauncher launcher =
        new ProcessLauncher(
            usual.withJvmFlags(flags), (rank, source, text) -> lines.add(text), lines::add);
    Thread.ofPlatform().daemon().name("launcher").start(launcher::run);
    String line = lines.take();
    while (!line.contains("scp:")) {
      line = lines.take();
    }
    return line;
  }

  @Test
  void threadsOfARankRunOnTheCoresOfTheirRole() throws Exception {
    List<Integer> cores =
        Affinity.capability().value().orElseThrow().current().stream().boxed().toList();
    assumeTrue(cores.size() >= 2, "one core cannot be divided");
    Watchdog.within(
        LIMIT,
        () -> {
          String line = start(10_000, Math.min(3, cores.size()), new LinkedBlockingQueue<>());
          ProcessHandle rank = rank();
          try {
            String background = Integer.toString(cores.getFirst());
            assertTrue(line.contains("core {" + background + "} for the background"), line);
            Map<String, Set<String>> allowed = allowed(rank);
            while (!allowed.getOrDefault("input", Set.of()).equals(Set.of(last(cores)))
                || !allowed.containsKey("engine")) {
              LockSupport.parkNanos(20_000_000);
              allowed = allowed(rank);
            }
            assertEquals(Set.of(background), allowed.get("background"));
            assertEquals(1, allowed.get("engine").size(), allowed.toString());
            assertTrue(!allowed.get("engine").contains(background), allowed.toString());
          } finally {
            rank.destroyForcibly();
          }
          return null;
        });
  }

  @Test
  @Tag("slow")
  void withTooFewCoresTheUserIsTold() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          String line = start(10_000, 4_000, new LinkedBlockingQueue<>());
          try {
            assertTrue(line.contains("fewer than 4000: partitioning has no effect"), line);
          } finally {
            rank().destroyForcibly();
          }
          return null;
        });
  }

  private static String last(List<Integer> cores) {
    int input = Math.max(1, (cores.size() - 1) / 4);
    int first = cores.get(cores.size() - input);
    return input == 1 ? Integer.toString(first) : first + "-" + cores.getLast();
  }

  private static ProcessHandle rank() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> arguments(child).contains(RankMain.class.getName()))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> arguments(ProcessHandle child) {
    try {
      return List.of(
          Files.readString(Path.of("/proc", Long.toString(child.pid()), "cmdline"))
              .split("\0", -1));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The cores of the threads of each role, by the kernel's names. */
  private static Map<String, Set<String>> allowed(ProcessHandle rank) throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    Path tasks = Path.of("/proc", Long.toString(rank.pid()), "task");
    try (Stream<Path> threads = Files.list(tasks)) {
      for (Path thread : threads.toList()) {
        Optional<String> role = role(field(thread, "Name:"));
        if (role.isPresent()) {
          found
              .computeIfAbsent(role.get(), key -> new TreeSet<>())
              .add(field(thread, "Cpus_allowed_list:"));
        }
      }
    }
    return found;
  }

  private static Optional<String> role(String name) {
    if (name.startsWith("tandem-sync-")) {
      return Optional.of("background");
    }
    if (name.startsWith("loader-")) {
      return Optional.of("input");
    }
    // The main thread, and the engine's pool, which has its name.
    return name.equals("java") || name.equals("main") ? Optional.of("engine") : Optional.empty();
  }

  private static String field(Path thread, String key) {
    try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(key.length()).strip())
          .findFirst()
          .orElse("");
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
