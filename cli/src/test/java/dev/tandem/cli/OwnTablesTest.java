package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a table or volumes to predictions, as a user does it; the ranks are processes. */
class OwnTablesTest {

  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir Path folder;

  private JsonNode json(String name) throws Exception {
    return new ObjectMapper().readTree(folder.resolve(name + ".json").toFile());
  }

  private JsonNode train(Path config, String name, Object... more) throws Exception {
    Object[] first = {
      "train", config, "--runs", folder, "--name", name, "--json", folder.resolve(name + ".json")
    };
    Object[] all = Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray();
    CommandRun.done(all);
    return json(name);
  }

  /** A configuration as init writes it, two ranks, eval, predict, and a run that begins with it. */
  @Test
  void valuesOfATable() throws Exception {
    Path table = EXAMPLES.resolve("data/prices.csv");
    Path config = folder.resolve("prices.yaml");
    String found = CommandRun.done("init", config, "--data", table, "--label", "price").out();
    assertTrue(
        found.contains("6 numbers from 4 columns; predicted are the values of price"), found);
    JsonNode result = train(config, "prices", "-n", 2, "--set", "epochs=5");
    assertTrue(result.at("/regression/r2").asDouble() > 0.9, result::toString);
    assertTrue(result.path("accuracy").isMissingNode(), result::toString);
    assertTrue(result.path("replicasIdentical").asBoolean());

    Path run = folder.resolve("prices");
    String report = Files.readString(run.resolve("report.html"));
    assertTrue(report.contains("test R2"));
    Path scores = folder.resolve("eval.json");
    String evaluated = CommandRun.done("eval", run, "--json", scores).out();
    assertTrue(evaluated.contains("MAE: "), evaluated);
    assertEquals(
        result.at("/regression/mse").asDouble(),
        json("eval").at("/regression/mse").asDouble(),
        1e-3 * result.at("/regression/mse").asDouble());

    Path rows = folder.resolve("new.csv");
    Files.writeString(rows, "town,rooms,area,year\nAshby,4,120,2000\nCorby,2,50,1950\n");
    List<String> lines = CommandRun.done("predict", run, rows).out().lines().toList();
    assertEquals(2, lines.size(), lines::toString);
    // 30,000 + 2,400 area + 9,000 rooms + 350 years since 1900 + 60,000 in Ashby.
    assertTrue(lines.getFirst().startsWith(rows + ":2: price "), lines::getFirst);
    assertEquals(449_000, number(lines.get(0)), 60_000);
    assertEquals(160_500, number(lines.get(1)), 60_000);
    Files.writeString(rows, "town,rooms,area,year\nAshby,4,120,2000\nDerby,2,50,1950\n");
    String unknown = CommandRun.failed(1, "predict", run, rows);
    assertTrue(unknown.contains("new.csv:3:1: 'Derby' in column town is none of"), unknown);
    weightsOfAnotherProgram(config, run);
  }

  private static double number(String line) {
    return Double.parseDouble(line.substring(line.lastIndexOf(' ')));
  }

  /** What {@code checkpoint import} writes is something that a run can begin with. */
  private void weightsOfAnotherProgram(Path config, Path run) throws Exception {
    Path weights = folder.resolve("w.npz");
    CommandRun.done("checkpoint", "export", run, weights, "--only", "^(fc|out)");
    CommandRun.done("checkpoint", "import", weights, folder.resolve("imported"));
    beginsWith(config, folder.resolve("imported"));
  }

  private void beginsWith(Path config, Path from) throws Exception {
    JsonNode result =
        train(
            config,
            "from-" + from.getFileName(),
            "--init-from",
            from,
            "--set",
            "steps=1",
            "--set",
            "schedule={kind: constant, rate: 1e-9}");
    assertTrue(result.at("/regression/r2").asDouble() > 0.9, result::toString);
  }

  @Tag("slow")
  @Test
  void theExamplesTrain() throws Exception {
    Path flowers = folder.resolve("flowers.db");
    CommandRun.done(
        "data", "import", EXAMPLES.resolve("data/flowers.csv"), flowers, "--label", "species");
    JsonNode classes =
        train(EXAMPLES.resolve("flowers.yaml"), "flowers", "--set", "data.path=" + flowers);
    assertTrue(classes.path("accuracy").asDouble() > 0.9, classes::toString);
    Path rows = folder.resolve("new.csv");
    Files.writeString(rows, "petal length,petal width,colour\n5.5,3.2,red\n");
    String tulip = CommandRun.done("predict", folder.resolve("flowers"), rows).out();
    assertTrue(tulip.contains("new.csv:2: tulip "), tulip);

    Path prices = folder.resolve("prices.db");
    CommandRun.done(
        "data", "import", EXAMPLES.resolve("data/prices.csv"), prices, "--label", "price");
    JsonNode values =
        train(EXAMPLES.resolve("prices.yaml"), "values", "-n", 2, "--set", "data.path=" + prices);
    assertTrue(values.at("/regression/r2").asDouble() > 0.95, values::toString);
    assertFalse(CommandRun.done("eval", folder.resolve("values"), "--best").out().isEmpty());
    Path weights = folder.resolve("w.npz");
    CommandRun.done(
        "checkpoint", "export", folder.resolve("values"), weights, "--only", "^(fc|out)");
    Path config = folder.resolve("values/config.yaml");
    beginsWith(config, weights);

    Path volumes = folder.resolve("volumes.db");
    CommandRun.done("data", "make", "--kind", "volumes", "--records", 600, volumes);
    JsonNode result =
        train(
            EXAMPLES.resolve("volumes.yaml"),
            "volumes",
            "-n",
            2,
            "--set",
            "data.path=" + volumes,
            "--set",
            "epochs=5");
    assertTrue(result.at("/regression/r2").asDouble() > 0.5, result::toString);
  }
}
