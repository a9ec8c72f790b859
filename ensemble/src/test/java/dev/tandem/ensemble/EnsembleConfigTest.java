package dev.tandem.ensemble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.share.ShareOptions;
import dev.tandem.train.config.ShareConfig;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnsembleConfigTest {

  private static final String TEXT =
      """
      pipeline: multi-broadcast
      preprocessors: 3
      train:
        network: {model: lenet}
        data: {train: DIGITS, test: DIGITS}
        optimizer: {kind: sgd, momentum: 0.9}
        schedule: {rate: 0.1}
        seed: 7
      members:
      - name: a
      - name: b
        ranks: 2
        train: {seed: 8, optimizer: {kind: adam}, batch: {global: 32}}
      """;

  @TempDir static Path folder;

  @BeforeAll
  static void draw() {
    GlyphDatabase.write(folder.resolve("digits"), new Seed(1), 20, Progress.SILENT);
  }

  private static EnsembleConfig parse(String text, String... settings) {
    String path = folder.resolve("digits").toString();
    return EnsembleConfig.parse("e.yaml", text.replace("DIGITS", path), List.of(settings));
  }

  @Test
  void membersHaveWhatIsCommonAndTheirOwn() {
    EnsembleConfig config = parse(TEXT);
    assertEquals(new Pipeline.MultiBroadcast(3), config.settings().kind());
    assertEquals(
        List.of(1, 2), config.members().stream().map(EnsembleConfig.Member::ranks).toList());
    TrainingConfig a = config.training(config.members().get(0), "s", 3);
    TrainingConfig b = config.training(config.members().get(1), "s", 3);
    assertEquals(7, a.seed());
    assertEquals(8, b.seed());
    assertEquals(7, b.dataSeed(), "all have the order of the first");
    assertEquals(32, b.batch().global());
    assertEquals(a.trainingSamples(), b.trainingSamples());
    ShareConfig share = b.data().share().orElseThrow();
    assertEquals("b", share.member());
    ShareOptions options = share.options(4);
    assertEquals(3, options.consumers());
    assertEquals(0, options.threads(), "the preprocessors prepare");
  }

  @Test
  void whoPreparesIsDecidedByThePipeline() {
    EnsembleConfig shared = parse(TEXT, "pipeline=all-shared", "train.epochs=4");
    TrainingConfig a = shared.training(shared.members().getFirst(), "s", 2);
    assertTrue(a.data().share().orElseThrow().prepare());
    assertEquals(4, a.epochs());
    EnsembleConfig apart = parse(TEXT, "pipeline=duplicated");
    assertTrue(apart.training(apart.members().getFirst(), "s", 2).data().share().isEmpty());
    assertInstanceOf(Pipeline.Adaptive.class, parse(TEXT, "pipeline=adaptive").settings().kind());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pipeline=ring | pipeline is ring, expected duplicated, all-shared",
        "preprocessors=0 | preprocessors is 0, expected at least 1",
        "at-once=-1 | at-once is -1, expected 0 or more",
        "megabytes=0 | megabytes is 0, expected 1 or more",
        "pace=fast | expected one of own, together",
        "members=1 | unknown key 'members'",
      })
  void saysWhatIsWrong(String setting, String expected) {
    UsageException wrong = assertThrows(UsageException.class, () -> parse(TEXT, setting));
    assertTrue(wrong.getMessage().startsWith("e.yaml: "), wrong.getMessage());
    assertTrue(wrong.getMessage().contains(expected), wrong.getMessage());
  }

  @Test
  void countsTheProcessesThatRunAtTheSameTime() {
    assertEquals(3 + 1 + 2, parse(TEXT).processes());
    assertEquals(3 + 2, parse(TEXT, "at-once=1").processes());
    assertEquals(3, parse(TEXT, "at-once=9", "pipeline=all-shared").processes());
  }

  @Test
  void membersAreNamedOnceAndProperly() {
    String twice = TEXT.replace("name: b", "name: a");
    assertTrue(
        assertThrows(UsageException.class, () -> parse(twice))
            .getMessage()
            .contains("members[1]: name a is given twice"));
    String slash = TEXT.replace("name: b", "name: a/b");
    assertTrue(
        assertThrows(UsageException.class, () -> parse(slash))
            .getMessage()
            .contains("name is 'a/b', expected letters"));
  }
}
