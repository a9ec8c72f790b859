package dev.tandem.oracle.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedOracleTest {

  private static final String HEADER =
      "source,model,dataset,strategy,gpus,batch_per_gpu,quantity,unit,value,note\n";

  private static final Campaign PUBLISHED = Campaign.builtIn();
  private static final PublishedOracle ORACLE = PublishedOracle.calibrate(PUBLISHED);

  @TempDir Path folder;

  @Test
  void withScalesLeftOutTheMeanIsFarAboveWhatIsAsked() {
    CampaignScore left = ORACLE.leavingOutScales();
    assertFolds(left);
    assertTrue(left.score().overall() >= 88, left.score()::toString);
  }

  @Test
  void withModelsLeftOutTheMeanIsAboveWhatIsAsked() {
    CampaignScore left = ORACLE.leavingOutModels();
    assertFolds(left);
  }

  private static void assertFolds(CampaignScore left) {
    Score score = left.score();
    assertEquals(34, score.configurations().size());
    assertEquals(
        Set.of("data", "filter", "channel", "data+filter", "data+spatial"),
        score.perStrategy().keySet());
    assertTrue(score.overall() >= 78, score::toString);
    assertTrue(
        score.perStrategy().values().stream().allMatch(accuracy -> accuracy >= 70),
        score::toString);
    assertTrue(score.coverage() >= 80 && score.coverage() <= 98, score::toString);
    assertTrue(score.rankingRight() >= 90, score::toString);
  }

  @Test
  void theEquationsAloneScoreAsTheStudyOfThemFound() {
    CampaignScore equations = ORACLE.equations();
    assertEquals(62, equations.score().overall(), 3);
    assertEquals(34, equations.score().configurations().size());
  }

  @Test
  void congestedRowsAndEpochsAreScoredApartAndTheRestIsCountedAndNamed() {
    CampaignScore all = ORACLE.score(PUBLISHED);
    assertEquals(34, all.score().configurations().size());
    assertEquals(7, all.apart().get("congested").configurations().size());
    assertEquals(1, all.apart().get("epochs").configurations().size());
    assertEquals(4, all.unscored().size());
    assertTrue(
        all.unscored().stream().allMatch(line -> line.contains("Megatron-LM data+hmodel")),
        () -> all.unscored().toString());
    assertEquals(469, 34 + 7 + 1 + 4 + all.otherRows());
  }

  /** A calibration must not know what is left out: its values may be anything. */
  @Test
  void whatIsLeftOutDoesNotChangeItsProjection() {
    List<Measurement> changed =
        PUBLISHED.rows().stream().map(r -> r.gpus() == 64 ? times(r, 3) : r).toList();
    Score usual = ORACLE.leavingOutScales().score();
    Score other =
        PublishedOracle.calibrate(new Campaign("changed", changed)).leavingOutScales().score();
    for (int i = 0; i < usual.configurations().size(); i++) {
      Score.Row row = usual.configurations().get(i);
      if (row.configuration().devices() == 64) {
        assertEquals(row.projected(), other.configurations().get(i).projected(), 1e-12);
        assertEquals(3 * row.measured(), other.configurations().get(i).measured(), 1e-12);
      }
    }
  }

  private static Measurement times(Measurement row, double factor) {
    return new Measurement(
        row.place(),
        row.source(),
        row.model(),
        row.dataset(),
        row.strategy(),
        row.gpus(),
        row.batchPerGpu(),
        row.quantity(),
        row.unit(),
        factor * row.value(),
        row.congested());
  }

  @Test
  void constantsAreFewAndNoneIsFarFromWhatTheMachineIs() {
    assertEquals(17, ORACLE.constants().size());
    Platform platform = Platform.abci();
    ORACLE
        .constants()
        .forEach(
            (constant, value) -> {
              double relative = value / constant.nominal(platform);
              assertTrue(relative > 0.3 && relative < 3, constant + " " + value);
            });
  }

  @Test
  void constantsThatMadeTheMeasurementsAreFound() {
    CampaignNetworks networks = new CampaignNetworks(Platform.abci());
    List<Observation> seen = Observations.of(PUBLISHED, networks).calm();
    Calibration nominal = Calibration.fit(List.of(), networks);
    List<Observation> made =
        seen.stream()
            .map(
                o ->
                    new Observation(
                        o.place(),
                        o.configuration(),
                        1.5 * nominal.seconds(o.configuration()),
                        OptionalDouble.empty(),
                        false))
            .toList();
    Calibration found = Calibration.fit(made, networks);
    for (Observation observation : made) {
      assertEquals(1, found.seconds(observation.configuration()) / observation.seconds(), 0.15);
    }
  }

  @Test
  void anotherFileIsScoredWithBandsThatAreWiderForNetworksThatAreNew() throws IOException {
    Campaign other =
        read(
            """
            a,VGG16,ImageNet(226),data,128,32,iter_time_total,s,0.505,
            a,ResNet-152,ImageNet(226),data+spatial,128,16,iter_time_total,ms,850,
            a,ResNet-50,ImageNet(226),spatial,4,16,iter_time_total,s,0.25,
            a,ResNet-50,ImageNet(226),data+filter,18,16,iter_time_total,s,0.25,
            a,VGG16,ImageNet(226),data,,32,iter_time_total,s,0.505,
            a,VGG16,ImageNet(226),data,16,32,iter_time_total,min,0.505,
            a,BERT,Wikipedia(512),data,16,32,iter_time_total,s,0.505,
            """);
    CampaignScore score = ORACLE.score(other);
    List<Score.Row> rows = score.score().configurations();
    assertEquals(3, rows.size());
    Score.Row known = rows.getFirst();
    Score.Row unknown = rows.get(1);
    assertTrue(known.low() < known.projected() && known.projected() < known.high());
    assertTrue(unknown.high() / unknown.projected() > known.high() / known.projected());
    assertEquals(0.85, unknown.measured(), 1e-12);
    assertTrue(score.unscored().get(0).contains(":5: ResNet-50 data+filter, 18 GPUs: not whole"));
    assertTrue(score.unscored().get(1).contains("gpus is missing"));
    assertTrue(score.unscored().get(2).contains("unit is 'min', expected s or ms"));
    assertTrue(score.unscored().get(3).contains("no network 'BERT'"));
  }

  @Test
  void aFileWithNothingToScoreSaysSo() throws IOException {
    Campaign none = read("a,VGG16,ImageNet(226),data,16,32,epoch_time,s,5,\n");
    assertMessage("nothing to score", assertThrows(UsageException.class, () -> ORACLE.score(none)));
    assertMessage(
        "no time of an iteration to calibrate on",
        assertThrows(UsageException.class, () -> PublishedOracle.calibrate(none)));
  }

  private static void assertMessage(String part, UsageException e) {
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void estimatesAreTheSumOfTheirParts() {
    Configuration configuration =
        new Configuration("VGG16", "ImageNet(226)", CampaignStrategy.DATA_SPATIAL, 32, 8);
    Estimate estimate = ORACLE.estimate(configuration);
    assertEquals(estimate.seconds(), estimate.computation() + estimate.communication(), 1e-9);
    assertTrue(estimate.communication() > estimate.computation());
  }

  @Test
  void theScoreIsFlatInJson() throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode tree = json.readTree(json.writeValueAsBytes(ORACLE.score(PUBLISHED)));
    assertTrue(tree.get("overall").isNumber());
    assertTrue(tree.get("perStrategy").get("data+filter").isNumber());
    assertTrue(tree.get("rankingRight").isNumber());
    assertTrue(tree.get("coverage").isNumber());
    assertTrue(tree.get("apart").get("congested").get("overall").isNumber());
  }

  private Campaign read(String rows) throws IOException {
    return Campaign.read(Files.writeString(folder.resolve("measured.csv"), HEADER + rows));
  }
}
