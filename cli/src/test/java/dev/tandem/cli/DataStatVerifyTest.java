package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataStatVerifyTest {

  @TempDir Path folder;

  private Path cifar(int records) {
    Path database = folder.resolve("cifar");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", records, database);
    return database;
  }

  private JsonNode json(Object... arguments) throws IOException {
    Path file = folder.resolve("out.json");
    Object[] all = new Object[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--json";
    all[arguments.length + 1] = file;
    CommandRun.of(all);
    return new ObjectMapper().readTree(file.toFile());
  }

  private static void overwrite(Path file, long offset, byte... bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  @Test
  void recordsAreLocatedByProvenanceWithoutAnIndex() throws Exception {
    Path database = cifar(1_500);
    JsonNode read = json("data", "read", database, "--mode", "prov", "--locate", "provenance");
    assertEquals("computed from creation parameters", read.at("/index").asText());
    CommandRun scan =
        CommandRun.done("data", "scan", database, "--read", "prov", "--locate", "provenance");
    assertTrue(scan.out().contains("1,500"), scan.out());
    assertFalse(Files.exists(database.resolve("data.mdb.tdx")));
    CommandRun.done("data", "make", "--kind", "imagenet", "--records", 40, folder.resolve("im"));
    for (int readers : new int[] {1, 2}) {
      String line =
          CommandRun.failed(
              2,
              "data",
              "read",
              folder.resolve("im"),
              "--mode",
              "prov",
              "--locate",
              "provenance",
              "--readers",
              readers);
      assertTrue(line.contains("cannot locate the records of "), line);
    }
    CommandRun.done("data", "read", folder.resolve("im"), "--mode", "prov", "--locate", "auto");
  }

  @Test
  void statTellsTheLayout() throws Exception {
    Path database = cifar(1_500);
    JsonNode stat = json("data", "stat", database);
    assertEquals(1_500, stat.at("/census/overflow").asLong());
    assertEquals(1_500, stat.at("/databases/0/statistics/entries").asLong());
    assertEquals(3_083, stat.at("/layouts/0/longest").asLong());
    assertEquals(0, stat.at("/layouts/0/inLeaves").asLong());
    assertEquals(0, stat.at("/layouts/0/indexBytes").asLong());
    assertTrue(stat.at("/layouts/0/indexState").asText().startsWith("none"));
    CommandRun.done("data", "index", database);
    stat = json("data", "stat", database);
    assertEquals(
        Files.size(database.resolve("data.mdb.tdx")), stat.at("/layouts/0/indexBytes").asLong());
    CommandRun run = CommandRun.done("data", "stat", database);
    assertTrue(run.out().contains("main database: 1,500 entries, depth 2"), run.out());
    assertTrue(run.out().contains("provenance: a commit every 1,000 records"), run.out());
    assertTrue(run.out().contains("1,500 of 1,500 locations computed from that"), run.out());
    assertEquals(1_500, stat.at("/layouts/0/provenance/agreeing").asLong());
    Peer.require("mdb_stat", "lmdb-utils");
    String theirs = new String(Peer.run("mdb_stat", "-f", database), StandardCharsets.UTF_8);
    assertTrue(
        theirs.contains("Leaf pages: " + stat.at("/databases/0/statistics/leafPages")), theirs);
    assertTrue(theirs.contains("Free pages: " + stat.at("/census/free")), theirs);
  }

  @Test
  void statTellsOfNamedDatabases() throws Exception {
    Path database = folder.resolve("named");
    try (EnvironmentWriter writer = EnvironmentWriter.open(database, WriterOptions.DEFAULT);
        WriteTransaction transaction = writer.begin()) {
      WriteDatabase many = transaction.database("many", DatabaseFlags.DUP_SORT);
      for (byte i = 0; i < 100; i++) {
        many.put(new byte[] {1}, new byte[] {i});
      }
      transaction.database("none");
      transaction.main().put(new byte[] {2}, new byte[] {1, 2, 3});
      transaction.commit();
    }
    JsonNode stat = json("data", "stat", database);
    assertEquals("many", stat.at("/databases/1/name").asText());
    assertEquals("dupsort", stat.at("/databases/1/flags/0").asText());
    assertEquals(100, stat.at("/layouts/1/records").asLong());
    assertEquals(100, stat.at("/layouts/1/inLeaves").asLong());
    assertEquals(0, stat.at("/layouts/2/records").asLong());
    String text = CommandRun.done("data", "stat", database).out();
    assertTrue(text.contains("provenance: the layout follows no parameters: "), text);
    CommandRun.done("data", "index", "--checksums", "--database", "many", database);
    String out = CommandRun.done("data", "verify", database).out();
    assertTrue(out.contains("index of 100 records in many.tdx, and their checksums"), out);
    String line = CommandRun.failed(1, "data", "index", "--database", "few", database);
    assertTrue(line.contains("there is no database 'few'"), line);
    assertTrue(line.contains("many"), line);
  }

  @Test
  void verifyFindsDamagedValuesByTheirChecksums() throws Exception {
    Path database = cifar(500);
    String out = CommandRun.done("data", "verify", database).out();
    assertTrue(out.contains("data.mdb.tdx is missing"), out);
    CommandRun.done("data", "index", database);
    out = CommandRun.done("data", "verify", database).out();
    assertTrue(out.contains("the index has no checksums"), out);
    out = CommandRun.done("data", "index", "--checksums", database).out();
    assertTrue(out.contains("500 records with checksums"), out);
    CommandRun.done("data", "verify", database);
    // The last page of the file is a value's.
    Path data = database.resolve("data.mdb");
    overwrite(data, Files.size(data) - 2_000, (byte) 1, (byte) 2, (byte) 3, (byte) 4);
    CommandRun run = CommandRun.of("data", "verify", database);
    assertEquals(1, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("checksum"), run.err());
    JsonNode results = json("data", "verify", database);
    assertFalse(results.get("sound").asBoolean());
    assertEquals(1, results.get("problems").size());
  }

  @Test
  void verifyFindsDamagedStructure() throws Exception {
    Path database = cifar(500);
    overwrite(database.resolve("data.mdb"), 2 * 4096 + 12, (byte) -1, (byte) -1);
    CommandRun run = CommandRun.of("data", "verify", database);
    assertEquals(1, run.exitCode());
    assertTrue(run.err().startsWith("tandem: " + database + "/data.mdb is damaged at page "));
    assertTrue(run.err().lines().findFirst().orElseThrow().contains("(byte "), run.err());
    for (String command : new String[] {"dump", "index", "stat"}) {
      CommandRun other = CommandRun.of("data", command, database);
      if (other.exitCode() != 0) {
        assertEquals(1, other.exitCode(), other.err());
        assertTrue(other.err().contains("is damaged at page"), other.err());
      }
    }
  }

  @Test
  void verifyNoticesAnOldOrDamagedIndex() throws Exception {
    Path database = cifar(500);
    CommandRun.done("data", "index", database);
    try (EnvironmentWriter writer = EnvironmentWriter.open(database, WriterOptions.DEFAULT);
        WriteTransaction transaction = writer.begin()) {
      transaction.main().put(new byte[] {1}, new byte[] {1});
      transaction.commit();
    }
    String line = CommandRun.failed(1, "data", "verify", database);
    assertTrue(line.contains("data.mdb.tdx does not match the database"), line);
    String out = CommandRun.done("data", "index", database).out();
    assertTrue(out.contains("built again: the database changed"), out);
    CommandRun.done("data", "verify", database);
    Path index = database.resolve("data.mdb.tdx");
    overwrite(index, Files.size(index) / 2, (byte) 0x5A, (byte) 0xA5);
    line = CommandRun.failed(1, "data", "verify", database);
    assertTrue(line.contains("cannot use " + index), line);
  }

  @Test
  void foreignFilesAreOneLine() throws Exception {
    Path foreign = Files.createDirectory(folder.resolve("foreign"));
    Files.write(foreign.resolve("data.mdb"), new byte[10_000]);
    Path none = Files.createDirectory(folder.resolve("none"));
    for (String command : new String[] {"index", "stat", "verify", "dump"}) {
      String line = CommandRun.failed(1, "data", command, foreign);
      assertTrue(line.contains("data.mdb is damaged at page 0"), line);
      line = CommandRun.failed(1, "data", command, none);
      assertEquals(
          "tandem: cannot open " + none.resolve("data.mdb") + ": no such file or folder", line);
    }
  }
}
