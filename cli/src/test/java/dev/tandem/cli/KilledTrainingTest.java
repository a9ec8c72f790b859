package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranks are killed at random moments; the others go on with new ones and end with the same bits.
 */
class KilledTrainingTest {

  @TempDir static Path folder;
  private static Path config;

  @BeforeAll
  static void drawDigits() throws IOException {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        batch: {global: 50}
        optimizer: {momentum: 0.9}
        schedule: {rate: 0.02}
        guard: {clip: 1}
        checkpoint: {every-steps: 3}
        """
            .formatted(folder));
  }

  @Test
  @Tag("slow")
  void aRunThatLosesRanksEndsAsOneThatDoesNot() throws Exception {
    killed(1, 40);
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"filter", "pipeline"})
  void aSplitNetworkThatLosesARankEndsAsOneThatDoesNot(String strategy) throws Exception {
    killed(1, 4, "--strategy", strategy);
  }

  /** {@code -Dkills=5} for a shorter one. */
  @Test
  @Tag("slow")
  void fiftyKills() throws Exception {
    int kills = Integer.getInteger("kills", 50);
    killed(kills, Math.max(40, kills * 5));
  }

  /** What these tests would see if something were not restored: one stream is left out. */
  @Test
  @Tag("slow")
  void aRestoreThatLeavesOneStreamOutEndsWithOtherBits() throws Exception {
    String expected = train("whole", 8, 0).path("digest").asText();
    Path store = folder.resolve("runs/whole/checkpoints");
    DurableFiles files = DurableFiles.system();
    long last = new FolderCheckpointStore(store, files).steps().getFirst();
    SavedCheckpoint saved = SavedCheckpoint.open(store, last, files);
    List<TensorView> tensors = new ArrayList<>();
    for (SavedCheckpoint.Tensor tensor : saved.tensors().values()) {
      MemorySegment data = Arena.ofAuto().allocate(tensor.bytes(), Long.BYTES);
      tensors.add(new TensorView(tensor.name(), tensor.dtype(), tensor.shape(), data));
    }
    StateTree state = StateTree.of(tensors, saved.values());
    saved.restore(SlicedState.whole(state));
    for (boolean broken : new boolean[] {false, true}) {
      if (broken) {
        state.tensors().entrySet().stream()
            .filter(tensor -> tensor.getKey().startsWith("optimizer.momentum."))
            .forEach(tensor -> tensor.getValue().data().fill((byte) 0));
      }
      FileTrees.delete(store);
      new FolderCheckpointStore(store, files).save(last, state);
      String digest = train("whole", 8, 0, "--resume").path("digest").asText();
      assertEquals(broken, !expected.equals(digest), "broken: " + broken);
    }
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0; // It is replaced just now.
    }
  }

  private static void killed(int kills, int epochs, String... more) throws Exception {
    SplittableRandom random = TestSeed.of(KilledTrainingTest.class).random();
    String kind = String.join("", more);
    String expected = train("undisturbed" + kind + kills, epochs, 0, more).path("digest").asText();
    String name = "killed" + kind + kills;
    Killer killer = new Killer(folder.resolve("runs").resolve(name), kills, random);
    Thread thread = Thread.ofPlatform().daemon().name("killer").start(killer);
    JsonNode result = train(name, epochs, kills, more);
    killer.ended = true;
    thread.join();
    assertEquals(expected, result.path("digest").asText());
    assertEquals(kills, killer.killed.get(), "the run ended too early for all kills");
  }

  private static JsonNode train(String name, int epochs, int restarts, String... more)
      throws IOException {
    Path json = folder.resolve(name + ".json");
    List<Object> arguments = new ArrayList<>(List.of("train", config, "-n", 2, "--name", name));
    arguments.addAll(List.of("--runs", folder.resolve("runs"), "--set", "epochs=" + epochs));
    arguments.addAll(List.of("--max-restarts", restarts, "--json", json));
    arguments.addAll(List.of(more));
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  /**
   * Kills one rank with SIGKILL again and again: every second time as soon as the run has come some
   * steps further, in the first steps behind a restore and their checkpoint; otherwise up to a
   * second after a further checkpoint was committed, so that the run gets on from kill to kill.
   */
  private static final class Killer implements Runnable {

    private final Path metrics;
    private final Path checkpoints;
    private final int kills;
    private final SplittableRandom random;
    private final AtomicInteger killed = new AtomicInteger();
    private volatile boolean ended;

    Killer(Path run, int kills, SplittableRandom random) {
      this.metrics = run.resolve("metrics.jsonl");
      this.checkpoints = run.resolve("checkpoints");
      this.kills = kills;
      this.random = random;
    }

    @Override
    public void run() {
      while (killed.get() < kills && !ended) {
        if (killed.get() % 2 == 0) {
          awaitSteps();
          pause(random.nextLong(30_000_000));
        } else {
          awaitCheckpoint();
          pause(random.nextLong(1_000_000_000));
        }
        killOne();
      }
    }

    private void awaitSteps() {
      long grown = size(metrics) + random.nextLong(2000);
      while (size(metrics) <= grown && !ended) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    private void awaitCheckpoint() {
      String last = newest();
      while (newest().compareTo(last) <= 0 && !ended) {
        LockSupport.parkNanos(5_000_000);
      }
    }

    /** The name of the newest checkpoint's folder. */
    private String newest() {
      try (Stream<Path> steps = Files.list(checkpoints)) {
        return steps
            .filter(step -> Files.exists(step.resolve("manifest.json")))
            .map(step -> step.getFileName().toString())
            .max(Comparator.naturalOrder())
            .orElse("");
      } catch (IOException | UncheckedIOException e) {
        return ""; // There is none yet, or one is being removed.
      }
    }

    private void pause(long nanos) {
      long until = System.nanoTime() + nanos;
      while (System.nanoTime() < until && !ended) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    private void killOne() {
      List<ProcessHandle> ranks =
          ProcessHandle.current().descendants().filter(Killer::isRank).toList();
      if (ranks.isEmpty() || ended) {
        return;
      }
      ProcessHandle victim = ranks.get(random.nextInt(ranks.size()));
      if (victim.destroyForcibly()) {
        killed.incrementAndGet();
        while (victim.isAlive() && !ended) {
          LockSupport.parkNanos(1_000_000);
        }
      }
    }

    /** This process starts no other JVMs meanwhile. */
    private static boolean isRank(ProcessHandle process) {
      return process.info().command().orElse("").endsWith("/java");
    }
  }
}
