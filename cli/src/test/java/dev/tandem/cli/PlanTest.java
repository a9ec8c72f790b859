package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tandem plan}: tables, JSON and pages. */
class PlanTest {

  @TempDir Path folder;

  private JsonNode json(String name) throws Exception {
    return new ObjectMapper().readTree(folder.resolve(name).toFile());
  }

  @Test
  void aRangeOfDevicesIsOneSearchWithAPage() throws Exception {
    Path page = folder.resolve("plan.html");
    String out =
        CommandRun.done(
                "plan",
                "lenet",
                "--cluster",
                "abci",
                "--devices",
                "1..8",
                "--batch",
                64,
                "--html",
                page,
                "--json",
                folder.resolve("plan.json"))
            .out();
    assertTrue(out.contains("ways projected in"), out);
    assertTrue(out.contains("not measured"), out);
    JsonNode plans = json("plan.json").path("plans");
    assertEquals(4, plans.size());
    for (JsonNode plan : plans) {
      // There is always something that limits.
      assertFalse(plan.path("limitations").isEmpty(), plan::toString);
      JsonNode way = plan.path("ways").path(0);
      double hours = way.path("epoch").asDouble() * plan.path("devices").asInt() / 3600;
      assertEquals(hours, way.path("deviceHours").asDouble(), 1e-9 * hours);
    }
    String html = Files.readString(page);
    assertTrue(html.contains("8 devices") && html.contains("</svg>"), html);
    assertFalse(html.contains("<script") || html.contains("src="), "the page needs other files");
  }

  @Test
  void inferenceIsTheForwardPassAlone() throws Exception {
    Object[] training = {
      "plan", "lenet", "--cluster", "abci", "--devices", 2, "--json", folder.resolve("t.json")
    };
    Object[] inference = {
      "plan",
      "lenet",
      "--cluster",
      "abci",
      "--devices",
      2,
      "--inference",
      "--json",
      folder.resolve("i.json")
    };
    CommandRun.done(training);
    CommandRun.done(inference);
    JsonNode way = json("i.json").path("plans").path(0).path("ways").path(0);
    assertEquals(0, way.path("phases").path("backward").asDouble());
    assertEquals(0, way.path("phases").path("update").asDouble());
    JsonNode trained = json("t.json").path("plans").path(0).path("ways").path(0);
    assertTrue(way.path("iteration").asDouble() < trained.path("iteration").asDouble());
  }

  @Test
  void aCampaignIsDrawnAsItsFiguresAre() throws Exception {
    Path page = folder.resolve("figures.html");
    CommandRun.done("plan", "--calibrate", "published", "--html", page);
    String html = Files.readString(page);
    for (String figure : new String[] {"4.14", "4.16", "4.17", "4.18", "4.19", "4.21"}) {
      assertTrue(html.contains(figure), figure);
    }
    assertTrue(html.contains("data+spatial: an iteration"), html);
  }
}
