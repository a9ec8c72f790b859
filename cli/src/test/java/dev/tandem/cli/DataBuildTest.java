package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.importing.PendingFolder;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** data make and import: what they make, and that they make it whole or not at all. */
class DataBuildTest {

  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");

  @TempDir Path folder;

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static long records(Path database) {
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      Cursor cursor = snapshot.main().cursor();
      long count = 0;
      while (cursor.next()) {
        count++;
      }
      assertEquals(snapshot.main().size(), count);
      return count;
    }
  }

  @Test
  void makeWritesTheRecordsAndNothingElse() throws Exception {
    Path database = folder.resolve("cifar");
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.done(
            "data", "make", "--kind", "cifar", "--records", 2_500, "--json", json, database);
    assertTrue(run.out().startsWith(database + ": 2,500 records, 7.7 MB"), run.out());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(2_500, results.get("records").asLong());
    assertEquals(List.of("cifar", "out.json"), files());
    try (Stream<Path> inside = Files.list(database)) {
      assertEquals(List.of("data.mdb"), inside.map(p -> p.getFileName().toString()).toList());
    }
    assertEquals(2_500, records(database));
    if (Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(path -> Files.isExecutable(Path.of(path, "mdb_stat")))) {
      String stat = new String(Peer.run("mdb_stat", "-e", "-f", database), StandardCharsets.UTF_8);
      assertTrue(stat.contains("Entries: 2500"), stat);
      assertTrue(stat.contains("Last transaction ID: 3"), stat);
    }
  }

  @Test
  void anExistingDatabaseIsReplacedOnlyIfAsked() throws Exception {
    Path database = folder.resolve("db");
    Object[] make = {"data", "make", "--kind", "imagenet", "--records", 3, database};
    CommandRun.done(make);
    String line = CommandRun.failed(2, make);
    assertEquals("tandem: " + database + " exists; --overwrite replaces it", line);
    CommandRun.done("data", "make", "--kind", "imagenet", "--records", 5, "--overwrite", database);
    assertEquals(5, records(database));
    assertEquals(List.of("db"), files());
    Files.writeString(database.resolve("thesis.tex"), "years of work");
    line =
        CommandRun.failed(
            2, "data", "make", "--kind", "imagenet", "--records", 5, "--overwrite", database);
    assertTrue(line.contains("thesis.tex, which is not part of a database"), line);
    assertEquals(5, records(database));
  }

  @Test
  void wrongPathsAndNumbersAreOneLine() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "text");
    String line =
        CommandRun.failed(
            2, "data", "make", "--kind", "cifar", "--records", 3, folder.resolve("no/where"));
    assertTrue(line.contains("there is no folder " + folder.resolve("no")), line);
    line = CommandRun.failed(2, "data", "make", "--kind", "cifar", "--records", 3, file);
    assertTrue(line.endsWith("it is a file, not a folder"), line);
    Path db = folder.resolve("db");
    CommandRun.failed(2, "data", "make", "--kind", "cifar", "--records", -3, db);
    CommandRun.failed(2, "data", "make", "--kind", "cat", "--records", 3, db);
    CommandRun.failed(
        2, "data", "make", "--kind", "cifar", "--records", 3, "--commit-every", 0, db);
    for (String command : List.of("dump", "index")) {
      line = CommandRun.failed(1, "data", command, folder.resolve("missing"));
      assertTrue(line.contains("missing: no such file or folder"), line);
      line = CommandRun.failed(1, "data", command, file);
      assertTrue(line.contains(file + " is damaged at page 0"), line);
    }
    line = CommandRun.failed(1, "data", "import", folder.resolve("missing"), db);
    assertTrue(line.endsWith("missing: no such file or folder"), line);
    line = CommandRun.failed(1, "data", "import", file, db);
    assertTrue(line.contains("is in no known format"), line);
    assertEquals(List.of("file"), files());
  }

  @Test
  void noPermissionIsOneLine() throws Exception {
    boolean root = Files.getOwner(folder).getName().equals("root");
    if (root) {
      System.out.println("skipped: root may write everywhere");
    }
    assumeTrue(!root);
    Path closed = Files.createDirectory(folder.resolve("closed"));
    assertTrue(closed.toFile().setWritable(false));
    String line =
        CommandRun.failed(
            1, "data", "make", "--kind", "cifar", "--records", 3, closed.resolve("db"));
    assertTrue(line.contains("permission denied"), line);
  }

  @Test
  void aFailedImportLeavesNothing() throws Exception {
    Path images = folder.resolve("images");
    Files.createDirectories(images.resolve("cat"));
    Files.createDirectories(images.resolve("dog"));
    BufferedImage image = new BufferedImage(6, 5, BufferedImage.TYPE_INT_RGB);
    ImageIO.write(image, "png", images.resolve("cat/a.png").toFile());
    ImageIO.write(image, "bmp", images.resolve("dog/b.bmp").toFile());
    Path bad = Files.writeString(images.resolve("dog/c.jpg"), "no image");
    Path database = folder.resolve("db");
    String line = CommandRun.failed(1, "data", "import", images, database);
    assertEquals("tandem: cannot read the image " + bad + ": it is in no known format", line);
    assertEquals(List.of("images"), files());
    CommandRun run =
        CommandRun.done(
            "data", "import", "--skip-bad", "--grey", "--resize", "8x4", images, database);
    assertTrue(run.out().contains("left out: cannot read the image " + bad), run.out());
    assertEquals("cat\ndog\n", Files.readString(database.resolve("labels.txt")));
    assertEquals(2, records(database));
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      Cursor cursor = snapshot.main().cursor();
      assertTrue(cursor.last());
      assertEquals(
          "00000001_dog/b.bmp",
          new String(cursor.key().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
      Datum datum = Datum.decode(cursor.value());
      assertEquals(1, datum.channels());
      assertEquals(8, datum.height());
      assertEquals(1, datum.label());
    }
    line = CommandRun.failed(2, "data", "import", "--grey", database, folder.resolve("x"));
    assertTrue(line.contains("are for folders of images"), line);
  }

  @Test
  void aKeyTooLongIsOneLine() throws Exception {
    Path deep = folder.resolve("images/" + "d".repeat(200) + "/" + "e".repeat(200));
    Files.createDirectories(deep);
    BufferedImage image = new BufferedImage(2, 2, BufferedImage.TYPE_INT_RGB);
    ImageIO.write(image, "png", deep.resolve("f".repeat(200) + ".png").toFile());
    String line =
        CommandRun.failed(1, "data", "import", folder.resolve("images"), folder.resolve("db"));
    assertTrue(line.contains("record 1: key of 615 bytes"), line);
    assertTrue(line.contains("1 to 511 bytes"), line);
    assertEquals(List.of("images"), files());
  }

  @Test
  void fashionMnist() throws Exception {
    if (!Files.isDirectory(FASHION)) {
      System.out.println("skipped: Debian's package dataset-fashion-mnist is not installed");
    }
    assumeTrue(Files.isDirectory(FASHION));
    Path database = folder.resolve("fashion");
    CommandRun.done("data", "import", "--split", "test", FASHION, database);
    assertEquals(10_000, records(database));
    CommandRun.done("data", "index", database);
  }

  @Test
  void twoAtOnceDoNotMix() throws Exception {
    Path database = folder.resolve("db");
    try (PendingFolder first = PendingFolder.begin(database, false)) {
      Files.writeString(first.path().resolve("data.mdb"), "unfinished");
      WorkFailedException e =
          Assertions.assertThrows(
              WorkFailedException.class, () -> PendingFolder.begin(database, false));
      assertEquals("another process is making " + database + " now", e.getMessage());
      assertTrue(Files.exists(first.path().resolve("data.mdb")));
    }
    assertEquals(List.of(), files());
    // What a killed process left is no obstacle, and nothing of it remains.
    Path pending = Files.createDirectory(folder.resolve("db.pending"));
    Files.writeString(pending.resolve("data.mdb"), "unfinished");
    Files.writeString(pending.resolve("labels.txt"), "old");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 3, database);
    assertEquals(List.of("db"), files());
    assertFalse(Files.exists(database.resolve("labels.txt")));
    assertEquals(3, records(database));
  }

  @Test
  void ctrlCLeavesNothing() throws Exception {
    Path database = folder.resolve("db");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Tandem.class.getName(),
                "data",
                "make",
                "--kind",
                "cifar",
                "--records",
                "1000000000",
                database.toString())
            .redirectErrorStream(true)
            .start();
    try {
      // A line of progress says that it is at work.
      assertTrue(process.inputReader().readLine().startsWith("writing db"));
      assertTrue(Files.exists(folder.resolve("db.pending/data.mdb")));
      process.destroy();
      assertEquals(143, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
    assertEquals(List.of(), files());
  }
}
