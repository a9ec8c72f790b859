package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of a training are killed; the others stay, and it ends with the same bits. */
class SurvivingTrainingTest {

  private static final int EPOCHS = 12;

  @TempDir static Path folder;
  private static Path config;
  private static JsonNode undisturbed;

  @BeforeAll
  static void trainUndisturbed() throws IOException {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        batch: {global: 48}
        optimizer: {momentum: 0.9}
        schedule: {rate: 0.02}
        guard: {clip: 1}
        determinism: elastic
        shards: 4
        checkpoint: {every-steps: 4, partner: true, every: 5}
        """
            .formatted(folder));
    // Any number of ranks gives these bits; two start sooner than four.
    undisturbed =
        train("undisturbed", 2, EPOCHS, 0, "checkpoint.partner=false", "checkpoint.every=1");
  }

  private static JsonNode train(String name, int ranks, int epochs, int restarts, String... set)
      throws IOException {
    Path json = folder.resolve(name + ".json");
    List<Object> arguments = new ArrayList<>(List.of("train", config, "-n", ranks, "--name", name));
    arguments.addAll(List.of("--runs", folder.resolve("runs"), "--set", "epochs=" + epochs));
    arguments.addAll(List.of("--max-restarts", restarts, "--json", json));
    for (String setting : set) {
      arguments.addAll(List.of("--set", setting));
    }
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  /** The processes that train here, oldest first; nothing else starts JVMs meanwhile. */
  private static List<ProcessHandle> processes() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("/java"))
        .sorted((a, b) -> Long.compare(a.pid(), b.pid()))
        .toList();
  }

  /**
   * Kills some processes when the run has told of so many events.
   *
   * <p>It notes all processes that there ever were.
   */
  private static final class Watcher implements Runnable {

    private final String name;
    private final Path metrics;
    private final long events;
    private final List<Integer> victims;
    private final long pauseMillis;
    private final Set<ProcessHandle> seen = new HashSet<>();
    private volatile boolean ended;

    /** Whether processes are asked to end instead. */
    private volatile boolean asked;

    /**
     * Begins with the next run.
     *
     * @param victims numbers of processes
     * @param pauseMillis between the end of one and the killing of the next
     */
    Watcher(String name, long events, List<Integer> victims, long pauseMillis) {
      this.name = name;
      this.metrics = folder.resolve("runs").resolve(name).resolve("metrics.jsonl");
      this.events = events;
      this.victims = victims;
      this.pauseMillis = pauseMillis;
    }

    @Override
    public void run() {
      while (!ended && count() < events) {
        LockSupport.parkNanos(1_000_000);
      }
      List<ProcessHandle> before = processes();
      seen.addAll(before);
      for (int victim : victims) {
        if (asked) {
          before.get(victim).destroy();
        } else {
          before.get(victim).destroyForcibly();
        }
        while (pauseMillis > 0 && before.get(victim).isAlive()) {
          LockSupport.parkNanos(1_000_000);
        }
        LockSupport.parkNanos(pauseMillis * 1_000_000);
      }
      while (!ended) {
        seen.addAll(processes());
        LockSupport.parkNanos(5_000_000);
      }
    }

    private long count() {
      try {
        return Files.exists(metrics) ? Files.readAllLines(metrics).size() : 0;
      } catch (IOException e) {
        return 0;
      }
    }
  }

  /** The second dies while the others meet again or restore. */
  @Tag("slow")
  @Test
  void theFirstRankIsLostAndThenAnotherWhileTheyRestore() throws Exception {
    survive("twice", List.of(0, 2), TestSeed.of(getClass()).random().nextLong(30, 400));
  }

  /** What one held for the other is lost with both. */
  @Test
  @Tag("slow")
  void partnersAreLostTogether() throws Exception {
    survive("partners", List.of(1, 2), 0);
  }

  @Test
  @Tag("slow")
  void theLastRankIsLost() throws Exception {
    survive("last", List.of(3), 0);
  }

  /** The others go on without it, and its replacement joins them. */
  @Test
  @Tag("slow")
  void aRankIsAskedToEnd() throws Exception {
    Watcher watcher = new Watcher("asked", 30, List.of(1), 0);
    watcher.asked = true;
    survive(watcher, "checkpoint.every=1");
  }

  @Test
  @Tag("slow")
  void withoutALevelInMemory() throws Exception {
    survive("on-disk", List.of(1, 3), 0, "checkpoint.partner=false");
  }

  private static void survive(String name, List<Integer> victims, long pauseMillis, String... set)
      throws Exception {
    List<String> settings = new ArrayList<>(List.of("checkpoint.every=1"));
    settings.addAll(List.of(set));
    survive(new Watcher(name, 30, victims, pauseMillis), settings.toArray(String[]::new));
  }

  private static void survive(Watcher watcher, String... set) throws Exception {
    Thread thread = Thread.ofPlatform().daemon().start(watcher);
    int restarts = watcher.victims.size();
    JsonNode result = train(watcher.name, 4, EPOCHS, restarts, set);
    watcher.ended = true;
    thread.join();
    assertEquals(undisturbed.path("digest").asText(), result.path("digest").asText());
    assertEquals(undisturbed.path("accuracy").asText(), result.path("accuracy").asText());
    // Those at the beginning and one for each that was killed: the others stayed.
    assertEquals(4 + restarts, watcher.seen.size());
    assertEquals(
        result.path("steps").asLong(),
        RunMetrics.losses(folder.resolve("runs").resolve(watcher.name)).size());
  }

  /**
   * At level run they wait for the new one, for the bits depend on how many they are; of a split
   * network a part is missing meanwhile.
   */
  @ParameterizedTest
  @ValueSource(strings = {"data", "filter", "pipeline"})
  @Tag("slow")
  void atLevelRunTheyWaitForTheReplacement(String mesh) throws Exception {
    String[] settings = {"determinism=run", "strategy.mesh=" + mesh};
    String expected = train(mesh + "-undisturbed", 2, 8, 0, settings).path("digest").asText();
    Watcher watcher = new Watcher(mesh, 30, List.of(0), 0);
    Thread thread = Thread.ofPlatform().daemon().start(watcher);
    JsonNode result = train(mesh, 2, 8, 1, settings);
    watcher.ended = true;
    thread.join();
    assertEquals(expected, result.path("digest").asText());
    assertEquals(2, result.path("ranks").asInt());
    assertEquals(3, watcher.seen.size());
  }

  /**
   * One of four is killed again and again: {@code -Dsurvival.seconds} (default 300) long, every
   * {@code -Dsurvival.every} (30) seconds.
   */
  @Test
  @Tag("slow")
  void oneKilledAgainAndAgainEndsWithTheSameBits() throws Exception {
    Duration whole = Duration.ofSeconds(Integer.getInteger("survival.seconds", 300));
    Duration every = Duration.ofSeconds(Integer.getInteger("survival.every", 30));
    // Two runs tell what an epoch takes without the start of the processes.
    double few = seconds(train("measure-10", 4, 10, 0, "checkpoint.every=1"));
    double more = seconds(train("measure-60", 4, 60, 0, "checkpoint.every=1"));
    int needed = (int) Math.ceil(whole.toSeconds() / ((more - few) / 50));
    JsonNode expected = train("long-undisturbed", 4, needed, 0, "checkpoint.every=1");
    Slayer slayer = new Slayer(every);
    Thread thread = Thread.ofPlatform().daemon().start(slayer);
    JsonNode result = train("long", 4, needed, 1000);
    slayer.ended = true;
    thread.join();
    System.out.printf(
        "%d epochs, killed %d times; undisturbed %.0f s, disturbed %.0f s%n",
        needed, slayer.killed.get(), seconds(expected), seconds(result));
    assertEquals(expected.path("digest").asText(), result.path("digest").asText());
    assertEquals(expected.path("accuracy").asText(), result.path("accuracy").asText());
    // The run may be a little faster than it was when measured.
    assertTrue(slayer.killed.get() >= 0.7 * whole.dividedBy(every), "killed too seldom");
  }

  private static double seconds(JsonNode result) {
    return result.path("totalSeconds").asDouble();
  }

  /** Kills one after the other, each time another one. */
  private static final class Slayer implements Runnable {

    private final Duration every;
    private volatile boolean ended;
    private final AtomicInteger killed = new AtomicInteger();

    Slayer(Duration every) {
      this.every = every;
    }

    @Override
    public void run() {
      long next = System.nanoTime() + every.toNanos();
      while (!ended) {
        if (System.nanoTime() < next) {
          LockSupport.parkNanos(10_000_000);
          continue;
        }
        List<ProcessHandle> alive = processes();
        if (!alive.isEmpty() && alive.get(killed.get() % alive.size()).destroyForcibly()) {
          killed.incrementAndGet();
        }
        next += every.toNanos();
      }
    }
  }
}
