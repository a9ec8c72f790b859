package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the writer is used, and that its trees come out as liblmdb's do. */
class LayoutTest {

  @TempDir Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  @Test
  void tutorial() throws IOException {
    Path path = folder.resolve("dataset");
    try (EnvironmentWriter writer = EnvironmentWriter.open(path, WriterOptions.DEFAULT)) {
      try (WriteTransaction transaction = writer.begin()) {
        WriteDatabase main = transaction.main();
        main.put(bytes("00000000"), bytes("a record"));
        main.append(bytes("00000001"), bytes("the next"));
        assertFalse(main.putIfAbsent(bytes("00000000"), bytes("not stored")));
        assertArrayEquals(bytes("a record"), main.get(bytes("00000000")));
        WriteDatabase labels = transaction.database("labels", DatabaseFlags.DUP_SORT);
        assertTrue(labels.putDuplicate(bytes("cat"), bytes("00000000")));
        assertTrue(labels.putDuplicate(bytes("cat"), bytes("00000001")));
        assertTrue(labels.delete(bytes("cat"), bytes("00000000")));
        transaction.commit();
      }
      try (WriteTransaction transaction = writer.begin()) {
        transaction.main().delete(bytes("00000000"));
        assertNull(transaction.main().get(bytes("00000000")));
        // Closed without a commit: nothing happened.
      }
    }
    Image image = Image.of(Files.readAllBytes(path.resolve("data.mdb")));
    assertEquals(1, image.transaction());
    assertEquals(2, image.databases().get("").entries().size());
    assertEquals(1, image.databases().get("labels").entries().size());
  }

  @Test
  void bulkWritesCommitEverySoMany() throws IOException {
    try (BulkWriter writer = BulkWriter.open(folder, WriterOptions.DEFAULT, 1000)) {
      for (int i = 0; i < 2500; i++) {
        writer.put(bytes("%08d".formatted(i)), new byte[3083]);
      }
      assertEquals(2500, writer.records());
    }
    Image image = Image.of(Files.readAllBytes(folder.resolve("data.mdb")));
    assertEquals(3, image.transaction());
    assertEquals(2500, image.databases().get("").entries().size());
  }

  @Test
  void sortedRecordsLieAsWithLiblmdb() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      lines.add("put - " + hex(bytes("%08d".formatted(i))) + " " + "5a".repeat(3083));
      if (i % 1000 == 999) {
        lines.add("commit");
      }
    }
    assertSameShape(lines);
  }

  @Test
  void randomChangesLieAsWithLiblmdb() throws IOException {
    SplittableRandom random = TestSeed.of(LayoutTest.class).random();
    for (int round = 0; round < 10; round++) {
      List<String> lines = new ArrayList<>();
      int keys = 50 + random.nextInt(3000);
      int maxKey = 1 + random.nextInt(200);
      int maxValue = 1 + random.nextInt(random.nextBoolean() ? 200 : 4000);
      boolean deleting = false;
      for (int i = 0; i < 3000; i++) {
        deleting = random.nextInt(300) == 0 ? !deleting : deleting;
        SplittableRandom of = new SplittableRandom(random.nextInt(keys));
        byte[] key = new byte[1 + of.nextInt(maxKey)];
        of.nextBytes(key);
        if (random.nextInt(10) < (deleting ? 9 : 2)) {
          lines.add("del - " + hex(key));
        } else {
          byte[] value = new byte[1 + random.nextInt(maxValue)];
          lines.add("put - " + hex(key) + " " + hex(value));
        }
        if (random.nextInt(500) == 0) {
          lines.add("commit");
        }
      }
      assertSameShape(lines);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Does the same with both and compares depth, pages and entries. */
  private void assertSameShape(List<String> lines) throws IOException {
    Path ours = Files.createTempDirectory(folder, "ours");
    Path theirs = Files.createTempDirectory(folder, "theirs");
    Path script = Files.write(folder.resolve("script"), lines);
    try (Peer peer = Peer.start()) {
      peer.ask("write " + theirs + " " + script);
    }
    try (EnvironmentWriter environment =
        EnvironmentWriter.open(ours, WriterOptions.DEFAULT.withSync(false))) {
      WriteTransaction transaction = environment.begin();
      for (String line : lines) {
        List<String> words = List.of(line.split(" ", -1));
        if (words.getFirst().equals("commit")) {
          transaction.commit();
          transaction = environment.begin();
        } else if (words.getFirst().equals("put")) {
          transaction
              .main()
              .put(HexFormat.of().parseHex(words.get(2)), HexFormat.of().parseHex(words.get(3)));
        } else {
          transaction.main().delete(HexFormat.of().parseHex(words.get(2)));
        }
      }
      transaction.commit();
    }
    assertEquals(shape(theirs), shape(ours));
  }

  private static String shape(Path environment) throws IOException {
    return Peer.tool("mdb_stat", environment.toString());
  }
}
