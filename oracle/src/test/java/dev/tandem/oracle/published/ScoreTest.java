package dev.tandem.oracle.published;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScoreTest {

  @Test
  void strategiesCountAlikeHoweverManyConfigurationsTheyHave() {
    Score score =
        Score.of(
            List.of(
                row(CampaignStrategy.DATA, 1, 1.1),
                row(CampaignStrategy.DATA, 2, 1.4),
                row(CampaignStrategy.FILTER, 4, 10)));
    assertEquals(80, score.perStrategy().get("data"), 1e-9);
    assertEquals(-50, score.perStrategy().get("filter"), 1e-9);
    assertEquals(15, score.overall(), 1e-9);
    assertEquals(Map.of("data", 0, "filter", 0).keySet(), score.perStrategy().keySet());
  }

  @Test
  void onlyPairsThatDifferByMoreThanATenthAreRanked() {
    Score score =
        Score.of(
            List.of(
                row(CampaignStrategy.DATA, 1, 3),
                row(CampaignStrategy.DATA, 1.05, 2),
                row(CampaignStrategy.DATA, 2, 2.5)));
    assertEquals(50, score.rankingRight());
  }

  @Test
  void aMeasurementInTheBandIsCovered() {
    Score score =
        Score.of(
            List.of(
                row(CampaignStrategy.DATA, 1, 1.4),
                row(CampaignStrategy.DATA, 1, 1.6),
                row(CampaignStrategy.DATA, 3, 2.1),
                row(CampaignStrategy.DATA, 4, 2.1)));
    assertEquals(50, score.coverage());
  }

  private static Score.Row row(CampaignStrategy strategy, double measured, double projected) {
    return new Score.Row(
        "here:1",
        new Configuration("VGG16", "ImageNet(226)", strategy, 16, 32),
        measured,
        projected,
        projected / 1.5,
        projected * 1.5);
  }
}
