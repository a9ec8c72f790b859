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

class PublishedScoresTest {

  private static final String HEADER =
      "source,model,dataset,strategy,gpus,batch_per_gpu,quantity,unit,value,note\n";

  @TempDir Path folder;

  @Test
  void publishedMeasurementsAreProjectedBetterThanByTheirEquations() throws Exception {
    Path json = folder.resolve("score.json");
    CommandRun run = CommandRun.done("plan", "--calibrate", "published", "--json", json);
    assertTrue(run.out().contains("network left out"), run.out());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertTrue(results.get("overall").asDouble() > 78, results.get("overall").asText());
    assertTrue(results.at("/byModel/overall").asDouble() > 78);
    assertTrue(results.at("/equations/overall").asDouble() < 70);
    assertEquals(5, results.get("perStrategy").size());
  }

  @Test
  void anyFileOfTheFormatIsScored() throws Exception {
    Path file = folder.resolve("new.csv");
    Files.writeString(
        file,
        HEADER
            + "own,ResNet-50,ImageNet(226),data,32,32,iter_time_total,s,0.12,\n"
            + "own,ResNet-50,ImageNet(226),filter,8,4,iter_time_total,s,0.3,\n"
            + "own,Unknown,ImageNet(226),data,32,32,iter_time_total,s,0.12,\n");
    Path json = folder.resolve("score.json");
    CommandRun run = CommandRun.done("plan", "--score", file, "--json", json);
    assertTrue(run.out().contains("not scored: 1"), run.out());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(2, results.at("/score/configurations").size());
    for (String key : new String[] {"overall", "rankingRight", "coverage"}) {
      assertTrue(results.get(key).isNumber(), key);
    }
    assertEquals(2, results.get("perStrategy").size());
    assertFalse(results.has("byModel"));
  }
}
