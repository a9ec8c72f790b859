package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with an ensemble is one line, before anything is made of it. */
class EnsembleMistakesTest {

  private static final String MEMBERS = "members: [{name: a}, {name: b, train: {seed: 2}}]\n";

  @TempDir static Path folder;

  @BeforeAll
  static void drawDigits() {
    GlyphDatabase.write(folder.resolve("digits"), new Seed(1), 40, Progress.SILENT);
  }

  private static String refused(String members, Object... more) throws IOException {
    Path config = folder.resolve("wrong.yaml");
    Files.writeString(
        config,
        """
        train:
          network: {model: digits}
          data: {train: '%1$s', test: '%1$s', augment: random-crop=28x28+2}
          batch: {global: 20}
          schedule: {rate: 0.02}
        """
                .formatted(folder.resolve("digits"))
            + members);
    Path runs = folder.resolve("runs");
    List<Object> words = new ArrayList<>(List.of("ensemble", config, "--runs", runs));
    words.addAll(List.of(more));
    String failure = CommandRun.failed(2, words.toArray());
    assertFalse(Files.exists(runs), "nothing was made");
    return failure;
  }

  private static void requireRefused(String expected, String members, Object... more)
      throws IOException {
    String failure = refused(members, more);
    assertTrue(failure.contains(expected), failure);
  }

  @Test
  void ofTheWhole() throws IOException {
    requireRefused("members is missing", "");
    requireRefused("hosts: members of an ensemble share memory", MEMBERS + "hosts: [a, b]\n");
    requireRefused("unknown key 'pipelin'", MEMBERS + "pipelin: duplicated\n");
    requireRefused("no ensemble", MEMBERS, "--resume", "--name", "none");
    String small = refused(MEMBERS + "megabytes: 100000000\n");
    assertTrue(small.contains("MiB free, but shared samples are to take"), small);
    requireRefused(
        "this machine supports at most",
        MEMBERS,
        "--set",
        "preprocessors=100000",
        "--set",
        "pipeline=multi-broadcast");
  }

  @Test
  void ofMembers() throws IOException {
    requireRefused(
        "member b: train: unknown key 'sed'", "members: [{name: a}, {name: b, train: {sed: 2}}]\n");
    requireRefused("members[1]: name is missing", "members: [{name: a}, {train: {seed: 2}}]\n");
    requireRefused("members[0]: ranks is 0", "members: [{name: a, ranks: 0}]\n");
    requireRefused(
        "member b takes other samples than member a, but all-shared shares them",
        "members: [{name: a}, {name: b, train: {data: {augment: flip}}}]\n");
    requireRefused(
        "data.reuse has an order of its own",
        "members: [{name: a, train: {data: {reuse: {passes: 2}}}}]\n");
  }
}
