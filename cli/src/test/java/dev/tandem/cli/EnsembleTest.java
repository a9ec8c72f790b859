package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.ensemble.EnsembleConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ensembles as a user trains them; members are real processes. */
class EnsembleTest {

  private static final int IMAGES = 600;

  @TempDir static Path folder;
  private static Path config;

  @BeforeAll
  static void drawDigits() throws IOException {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), IMAGES, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    config = folder.resolve("two.yaml");
    Files.writeString(
        config,
        """
        pace: together
        train:
          network: {model: digits}
          data: {train: '%1$s/train', test: '%1$s/test', augment: random-crop=28x28+2}
          batch: {global: 50}
          optimizer: {momentum: 0.9}
          schedule: {rate: 0.02}
          guard: {clip: 1}
          checkpoint: {every-steps: 5}
          epochs: 2
          threads: 1
        members:
        - name: a
          train: {seed: 11}
        - name: b
          train: {seed: 12, batch: {global: 32}}
        """
            .formatted(folder));
  }

  private static JsonNode ensemble(String name, Object... more) throws IOException {
    Path json = folder.resolve(name + ".json");
    List<Object> arguments =
        new ArrayList<>(
            List.of("ensemble", config, "--name", name, "--runs", folder.resolve("runs")));
    arguments.addAll(List.of("--json", json));
    arguments.addAll(List.of(more));
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  /** Every member was given each image once in its last pass, which the share itself counts. */
  private static void requireExact(JsonNode result, int members) {
    assertEquals(members, result.at("/share/consumers").size());
    for (JsonNode consumer : result.at("/share/consumers")) {
      assertEquals(
          ShareStatus.checksum(IMAGES), consumer.path("checksum").asLong(), consumer.toString());
    }
  }

  @Test
  void aMemberLearnsTheSameBitsAsAloneFromSamplesThatWerePreparedOnce() throws IOException {
    JsonNode result = ensemble("pair");
    assertEquals("done", result.path("state").asText());
    requireExact(result, 2);
    assertEquals(2 * IMAGES, result.at("/share/prepared").asDouble(), 64);
    for (JsonNode consumer : result.at("/share/consumers")) {
      assertEquals(2 * IMAGES, consumer.path("delivered").asLong());
    }
    Path runs = folder.resolve("runs");
    assertTrue(CommandRun.done("runs", "ls", runs).out().contains("pair-b"));
    assertTrue(Files.exists(runs.resolve("pair/ensemble.yaml")));
    assertTrue(Files.size(runs.resolve("pair/queues.jsonl")) > 0);

    // The configuration of a member, alone and without the share.
    String own =
        Files.readString(runs.resolve("pair-b/config.yaml"))
            .replaceFirst("(?m)^  share:\\n(    .*\\n)+", "");
    assertFalse(own.contains("share:"));
    Path alone = folder.resolve("alone.yaml");
    Files.writeString(alone, own);
    Path json = folder.resolve("alone.json");
    CommandRun.done("train", alone, "--runs", runs, "--name", "alone", "--json", json);
    String digest = new ObjectMapper().readTree(json.toFile()).path("digest").asText();
    assertTrue(
        Files.readString(runs.resolve("pair-b/metrics.jsonl")).contains(digest),
        "the digest of the parameters");
  }

  @Test
  void theExampleHasFiveMembersThatMayShare() {
    List<String> data =
        List.of(
            "train.data.train=" + folder.resolve("train"),
            "train.data.test=" + folder.resolve("test"));
    EnsembleConfig example = EnsembleConfig.read(Path.of("..", "examples", "ensemble.yaml"), data);
    List<String> samples =
        example.members().stream()
            .map(member -> example.training(member, "example", 5).trainingSamples())
            .distinct()
            .toList();
    assertEquals(5, example.members().size());
    assertEquals(1, samples.size(), samples.toString());
  }

  @ParameterizedTest
  @Tag("slow")
  @CsvSource({
    "all-shared, RankMain",
    "multi-broadcast, RankMain",
    "multi-broadcast, PreprocessorMain",
    "single-broadcast, PreprocessorMain"
  })
  void theOthersSurviveTheKillOfAProcess(String pipeline, String victim) throws Exception {
    String name = pipeline + "-" + victim.toLowerCase(Locale.ROOT).charAt(0); // no name of a class
    AtomicBoolean killed = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    Path metrics = folder.resolve("runs").resolve(name + "-a").resolve("metrics.jsonl");
    Thread killer =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (!killed.get() && !ended.get()) {
                    LockSupport.parkNanos(20_000_000);
                    killed.set(began(metrics) && kill(victim, name));
                  }
                });
    JsonNode result = ensemble(name, "--set", "pipeline=" + pipeline, "--set", "train.epochs=12");
    ended.set(true);
    killer.join();
    assertTrue(killed.get(), "the ensemble ended before the kill");
    assertEquals(1, result.path("restarts").asInt() + preprocessors(victim));
    assertEquals("done", result.path("state").asText());
    requireExact(result, 2);
  }

  private static boolean began(Path metrics) {
    try {
      return Files.exists(metrics) && Files.readString(metrics).contains("\"checkpoint\"");
    } catch (IOException e) {
      return false; // It is written just now.
    }
  }

  /** Restarts of preprocessors are not those of members. */
  private static int preprocessors(String victim) {
    return victim.equals("PreprocessorMain") ? 1 : 0;
  }

  private static boolean kill(String program, String run) {
    Predicate<ProcessHandle> wanted =
        child -> {
          // The whole of it: what a ProcessHandle says is cut off.
          try {
            String line = Files.readString(Path.of("/proc", "" + child.pid(), "cmdline"));
            return line.contains(program) && line.contains(run);
          } catch (IOException e) {
            return false; // It has ended.
          }
        };
    Optional<ProcessHandle> child = ProcessHandle.current().descendants().filter(wanted).findAny();
    return child.map(ProcessHandle::destroyForcibly).orElse(false);
  }

  @Test
  @Tag("slow")
  void trainsQueuedMembersAndAtOwnPaceAndWithoutSharing() throws IOException {
    JsonNode queued = ensemble("queued", "--set", "at-once=1", "--set", "pace=own");
    assertEquals("done", queued.path("state").asText());
    requireExact(queued, 2);
    JsonNode adaptive = ensemble("adapted", "--set", "pipeline=adaptive", "--set", "pace=own");
    requireExact(adaptive, 2);
    JsonNode apart = ensemble("apart", "--set", "pipeline=duplicated");
    assertEquals("done", apart.path("state").asText());
    assertTrue(apart.path("share").isNull());
    // A member that is done stays; one with more epochs goes on.
    JsonNode again = ensemble("queued", "--set", "at-once=1", "--set", "pace=own", "--resume");
    assertEquals("done", again.path("state").asText());
  }
}
