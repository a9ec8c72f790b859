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
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
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

    requireSameAsAlone("pair-b");
  }

  /** That a member has the parameters of its configuration alone, without the share. */
  private static void requireSameAsAlone(String member) throws IOException {
    Path runs = folder.resolve("runs");
    String own =
        Files.readString(runs.resolve(member).resolve("config.yaml"))
            .replaceFirst("(?m)^  share:\\n(    .*\\n)+", "");
    assertFalse(own.contains("share:"));
    Path alone = folder.resolve(member + "-alone.yaml");
    Files.writeString(alone, own);
    Path json = folder.resolve(member + "-alone.json");
    CommandRun.done("train", alone, "--runs", runs, "--name", member + "-alone", "--json", json);
    String digest = new ObjectMapper().readTree(json.toFile()).path("digest").asText();
    assertTrue(
        Files.readString(runs.resolve(member).resolve("metrics.jsonl")).contains(digest),
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
    AtomicBoolean ended = new AtomicBoolean();
    FutureTask<Boolean> killer = killer(name + "-a", victim, name, ended);
    JsonNode result = ensemble(name, "--set", "pipeline=" + pipeline, "--set", "train.epochs=12");
    ended.set(true);
    assertTrue(killer.get(), "the ensemble ended before the kill");
    assertEquals(1, result.path("restarts").asInt() + preprocessors(victim));
    assertEquals("done", result.path("state").asText());
    requireExact(result, 2);
  }

  /**
   * Kills a process once a run has a checkpoint; false if that has ended before.
   *
   * @param program a part of the command of the process
   * @param named another part
   */
  private static FutureTask<Boolean> killer(
      String run, String program, String named, AtomicBoolean ended) {
    Path metrics = folder.resolve("runs").resolve(run).resolve("metrics.jsonl");
    FutureTask<Boolean> killer =
        new FutureTask<>(
            () -> {
              boolean killed = false;
              while (!killed && !ended.get()) {
                LockSupport.parkNanos(20_000_000);
                killed = began(metrics) && kill(program, named);
              }
              return killed;
            });
    Thread.ofPlatform().daemon().start(killer);
    return killer;
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
  void resumesMembersThatWereLostAndLeavesThoseThatAreDone() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    FutureTask<Boolean> killer = killer("half-b", "RankMain", "half-b", ended);
    List<Object> words =
        List.of("ensemble", config, "--name", "half", "--runs", folder.resolve("runs"));
    String failure =
        CommandRun.failed(1, with(words, "--set", "train.epochs=12", "--set", "max-restarts=0"));
    ended.set(true);
    assertTrue(killer.get(), failure);
    assertTrue(failure.contains("member b"), failure);
    Path first = folder.resolve("runs/half-a/metrics.jsonl");
    String done = Files.readString(first);

    JsonNode result = ensemble("half", "--set", "train.epochs=12", "--resume");
    assertEquals("done", result.path("state").asText());
    for (JsonNode member : result.path("members")) {
      assertEquals("done", member.path("state").asText());
    }
    assertEquals(done, Files.readString(first), "a member that is done stays as it is");
    requireExact(result, 1);
    assertTrue(result.at("/share/prepared").asLong() < 12 * IMAGES, "it went on from a checkpoint");
    requireSameAsAlone("half-b");
  }

  private static Object[] with(List<Object> words, Object... more) {
    return Stream.concat(words.stream(), Stream.of(more)).toArray();
  }

  @Test
  @Tag("slow")
  void aMemberOfTwoRanksGoesOnBesideASlowerOne() throws IOException {
    Path mixed = folder.resolve("mixed.yaml");
    Files.writeString(
        mixed,
        Files.readString(config)
            .replace("- name: a\n", "- name: a\n  ranks: 2\n")
            .replace("pace: together", "pace: own\nmegabytes: 1")
            .replace("{seed: 12,", "{seed: 12, network: {model: lenet},"));
    Path json = folder.resolve("mixed.json");
    CommandRun.done(
        "ensemble",
        mixed,
        "--runs",
        folder.resolve("runs"),
        "--json",
        json,
        "--set",
        "train.epochs=6");
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertEquals("done", result.path("state").asText());
    long ranks = 0;
    for (JsonNode consumer : result.at("/share/consumers")) {
      if (consumer.path("name").asText().startsWith("a")) {
        ranks += consumer.path("checksum").asLong(); // each has its part of a batch
      } else {
        assertEquals(ShareStatus.checksum(IMAGES), consumer.path("checksum").asLong());
      }
    }
    assertEquals(3, result.at("/share/consumers").size());
    assertEquals(ShareStatus.checksum(IMAGES), ranks);
  }

  @Test
  @Tag("slow")
  void theRestHaveTheThreadsOfAMemberThatEndsEarly() throws IOException {
    Path early = folder.resolve("early.yaml");
    String text = Files.readString(config).replace("{seed: 11}", "{seed: 11, epochs: 1}");
    Files.writeString(early, text.replace("epochs: 2", "epochs: 6"));
    Path runs = folder.resolve("runs");
    CommandRun.done("ensemble", early, "--runs", runs);
    boolean seen = false;
    for (String look : Files.readAllLines(runs.resolve("early/queues.jsonl"))) {
      JsonNode share = new ObjectMapper().readTree(look);
      long left = share.path("consumers").valueStream().filter(EnsembleTest::absent).count();
      seen |= left == 1 && share.path("threads").asInt() == 2;
    }
    assertTrue(seen, "both threads prepare for the one that is left");
  }

  private static boolean absent(JsonNode consumer) {
    return !consumer.path("present").asBoolean();
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
