package dev.tandem.lmdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordIndexTest {

  @TempDir Path folder;

  private void write(String script) throws Exception {
    Reference.assume();
    Path file = folder.resolve("write.py");
    Files.writeString(
        file, "import lmdb, sys\nfolder = sys.argv[1]\n" + script, StandardCharsets.UTF_8);
    Reference.run(file, folder.toString());
  }

  private void writeRecords(int from, int to, int size, int commitEvery) throws Exception {
    write(
        """
        env = lmdb.open(folder, map_size=1 << 30, sync=False)
        for start in range(%d, %d, %d):
            with env.begin(write=True) as txn:
                for i in range(start, min(start + %d, %d)):
                    txn.put(b"%%08d" %% i, bytes([i %% 251]) * %d)
        env.close()
        """
            .formatted(from, to, commitEvery, commitEvery, to, size));
  }

  private RecordIndex open() {
    return RecordIndex.openOrBuild(folder, Progress.SILENT);
  }

  @Test
  void regularDatabasesCostAFewHundredBytes() throws Exception {
    writeRecords(0, 20_000, 3083, 1 << 20);
    RecordIndex index = open();
    assertEquals("built", index.origin());
    assertEquals(20_000, index.size());
    Path file = folder.resolve("data.mdb.tdx");
    assertTrue(Files.size(file) < 600, Files.size(file) + " bytes");
    assertTrue(index.memory() < 20_000, index.memory() + " bytes of memory");
    assertEquals("loaded", open().origin());
  }

  @Test
  void smallValuesInLeavesCostLittle() throws Exception {
    writeRecords(0, 20_000, 100, 1000);
    open();
    assertTrue(Files.size(folder.resolve("data.mdb.tdx")) < 1000);
  }

  @Test
  void noticesAChangedDatabase() throws Exception {
    writeRecords(0, 100, 500, 100);
    assertEquals(100, open().size());
    writeRecords(100, 150, 500, 100);
    RecordIndex index = open();
    assertEquals(150, index.size());
    assertEquals("built anew: the database changed since the index was made", index.origin());
    assertEquals("loaded", open().origin());
  }

  @Test
  void noticesEveryFlippedBitOfItsFile() throws Exception {
    writeRecords(0, 500, 200, 50);
    open();
    Path file = folder.resolve("data.mdb.tdx");
    byte[] good = Files.readAllBytes(file);
    for (int bit = 0; bit < good.length * 8; bit += 7) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      Files.write(file, bad);
      assertThrows(WorkFailedException.class, () -> RecordIndex.load(file));
    }
    for (int length = 0; length < good.length; length += 11) {
      Files.write(file, java.util.Arrays.copyOf(good, length));
      assertThrows(WorkFailedException.class, () -> RecordIndex.load(file));
    }
    RecordIndex index = open();
    assertEquals(500, index.size());
    assertTrue(index.origin().startsWith("built anew: cannot use " + file), index.origin());
    assertEquals("loaded", open().origin());
  }

  @Test
  void findsDamageWithinValuesByChecksums() throws Exception {
    writeRecords(0, 300, 3083, 100);
    RecordIndex index = RecordIndex.openOrBuild(folder, Optional.empty(), true, Progress.SILENT);
    assertTrue(index.hasChecksums());
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(java.util.List.of(), index.verify(snapshot.main(), Progress.SILENT));
    }
    byte[] bytes = Files.readAllBytes(folder.resolve("data.mdb"));
    bytes[(int) index.offset(123) + 77] ^= 1;
    Files.write(folder.resolve("data.mdb"), bytes);
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(
          java.util.List.of(
              "record 123 (byte " + index.offset(123) + ") differs from its checksum"),
          index.verify(snapshot.main(), Progress.SILENT));
    }
    RecordIndex again = RecordIndex.openOrBuild(folder, Optional.empty(), true, Progress.SILENT);
    assertEquals("loaded", again.origin());
    assertEquals(index.checksum(299), again.checksum(299));
  }

  @Test
  void namedDatabasesHaveTheirOwnIndex() throws Exception {
    write(
        """
        env = lmdb.open(folder, map_size=1 << 28, max_dbs=4)
        train = env.open_db(b"train")
        with env.begin(write=True) as txn:
            for i in range(10):
                txn.put(b"%d" % i, b"value", db=train)
        """);
    RecordIndex index =
        RecordIndex.openOrBuild(folder, Optional.of("train"), false, Progress.SILENT);
    assertEquals(10, index.size());
    assertTrue(Files.exists(folder.resolve("train.tdx")));
    assertFalse(Files.exists(folder.resolve("data.mdb.tdx")));
    var e =
        assertThrows(
            WorkFailedException.class,
            () -> RecordIndex.openOrBuild(folder, Optional.of("test"), false, Progress.SILENT));
    assertEquals(
        "there is no database 'test' in " + folder.resolve("data.mdb") + "; it has [train]",
        e.getMessage());
  }
}
