package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataScanTest {

  @TempDir Path folder;

  private JsonNode scan(Object... arguments) throws IOException {
    Path json = folder.resolve("scan.json");
    Object[] all = new Object[arguments.length + 4];
    all[0] = "data";
    all[1] = "scan";
    all[2] = "--json";
    all[3] = json;
    System.arraycopy(arguments, 0, all, 4, arguments.length);
    CommandRun.done(all);
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  void aDatabaseIsLoadedTheSameWithAnyThreads() throws IOException {
    Path database = folder.resolve("cifar.db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", "500", database);
    String augment = "random-crop=28x28,flip";
    JsonNode one = scan("--checksum", "--threads", "1", "--augment", augment, database);
    assertEquals(500, one.get("samples").asInt());
    assertEquals(2, one.get("steps").asInt());
    assertEquals("[3,28,28]", one.get("shape").toString());
    assertTrue(one.get("samplesPerSecond").asDouble() > 0);
    assertTrue(one.get("stalls").has("consumerWaits"));
    JsonNode four = scan("--checksum", "--threads", "4", "--augment", augment, database);
    assertEquals(one.get("checksum"), four.get("checksum"));
    JsonNode other =
        scan("--checksum", "--threads", "4", "--seed", "2", "--augment", augment, database);
    assertNotEquals(one.get("checksum"), other.get("checksum"));
    JsonNode circular =
        scan("--circular", "--batch", "300", "--epochs", "3", "--share", "1/2", database);
    assertEquals(5 * 150, circular.get("samples").asInt());
  }

  @Test
  void samplesAreUsedAgain() throws IOException {
    Path database = folder.resolve("cifar.db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", "500", database);
    JsonNode results = scan("--batch", "50", "--reuse", "4:process,node", database);
    assertEquals(1_500, results.get("samples").asInt());
    assertEquals(30, results.get("steps").asInt());
    JsonNode reuse = results.get("reuse");
    assertEquals(500, reuse.get("samplesRead").asInt());
    assertEquals(3.0, reuse.get("reuseFactor").asDouble());
    assertEquals(0, reuse.get("bytesOnWire").asInt());
    CommandRun.failed(2, "data", "scan", "--reuse", "4", database);
    CommandRun.failed(2, "data", "scan", "--reuse", "4:node", "--share", "0/2", database);
  }

  @Test
  void processesOfAJobExchangeSamples() {
    Path database = folder.resolve("cifar.db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", "500", database);
    CommandRun run =
        CommandRun.done(
            "run",
            "-n",
            "2",
            "--",
            Tandem.class.getName(),
            "data",
            "scan",
            "--batch",
            "50",
            "--reuse",
            "4:node",
            database);
    // Each reads half of the samples, sends about half of those away, and serves 2 x 250.
    assertEquals(2, run.out().lines().filter(line -> line.contains(" 500 samples of ")).count());
    assertEquals(2, run.out().lines().filter(line -> line.contains("served 2.00 times")).count());
    assertEquals(0, run.out().lines().filter(line -> line.contains(" 0.0 MB moved")).count());
  }

  @Test
  void aFolderOfImagesWithABadOne() throws IOException {
    Path images = Files.createDirectories(folder.resolve("images/cat"));
    for (int i = 0; i < 12; i++) {
      BufferedImage image = new BufferedImage(20 + i, 30, BufferedImage.TYPE_INT_RGB);
      image.setRGB(3, 3, i * 1_000);
      ImageIO.write(image, "png", images.resolve("image" + i + ".png").toFile());
    }
    Files.write(images.resolve("image5.png"), new byte[] {1, 2, 3});
    Path root = images.getParent();
    String error = CommandRun.failed(1, "data", "scan", "--augment", "resize=8x8", root);
    assertTrue(error.contains("image5.png"), error);
    CommandRun run =
        CommandRun.done(
            "data",
            "scan",
            "--skip-bad",
            "--normalise",
            "compute",
            "--augment",
            "shorter=10,crop=8x8",
            root);
    assertTrue(run.out().contains("11 samples of 3x8x8"), run.out());
    assertTrue(run.out().contains("1 skipped"), run.out());
    assertTrue(run.out().contains("left out: record '"), run.out());
    assertTrue(run.out().contains("deviations ["), run.out());
    assertTrue(run.out().contains("The bottleneck is "), run.out());
  }

  @Test
  void wrongOptionsAreOneLine() {
    Path database = folder.resolve("small.db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", "10", database);
    CommandRun.failed(2, "data", "scan", "--augment", "blur", database);
    CommandRun.failed(2, "data", "scan", "--shuffle", "well", database);
    CommandRun.failed(2, "data", "scan", "--batch", "0", database);
    CommandRun.failed(2, "data", "scan", "--threads", "0", database);
    CommandRun.failed(2, "data", "scan", "--share", "3", database);
    CommandRun.failed(2, "data", "scan", "--share", "3/2", database);
    CommandRun.failed(2, "data", "scan", "--normalise", "much", database);
    CommandRun.failed(1, "data", "scan", folder.resolve("missing"));
    String error = CommandRun.failed(1, "data", "scan", "--augment", "crop=64x64", database);
    assertTrue(error.contains("too small"), error);
  }
}
