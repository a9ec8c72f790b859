package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Reference;
import dev.tandem.lmdb.Snapshot;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    assertEquals("built again: the database changed since the index was made", index.origin());
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
      Files.write(file, Arrays.copyOf(good, length));
      assertThrows(WorkFailedException.class, () -> RecordIndex.load(file));
    }
    RecordIndex index = open();
    assertEquals(500, index.size());
    assertTrue(index.origin().startsWith("built again: cannot use " + file), index.origin());
    assertEquals("loaded", open().origin());
  }

  /** As Caffe's tools name records; whatever else stands between them, leaves are needed. */
  @Test
  void knowsHowKeysCount() throws Exception {
    writeRecords(95, 2_000, 300, 50);
    RecordIndex index = open();
    assertEquals(Optional.of(new NumberedKeys(8, 95)), index.numberedKeys());
    assertEquals(index.numberedKeys(), open().numberedKeys());
    assertEquals("loaded", open().origin());
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(List.of(), index.verify(snapshot.main(), Progress.SILENT));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "txn.delete(b'00000500')",
        "txn.put(b'00000500x', b'')",
        "txn.put(b'000009', b'')",
        // Sorts between 00000199 and 00000200, in place of a number that is missing.
        "txn.delete(b'00000200'); txn.put(b'000001:0', b'')",
        "txn.delete(b'00000200'); txn.put(b'0000019:', b'')",
        "txn.delete(b'00000199'); txn.put(b'000002/9', b'')",
        "txn.delete(b'00000007'); txn.put(b'0000000a', b'')",
        "txn.delete(b'00000999'); txn.put(b'000009:9', b'')"
      })
  void keysThatDoNotCountAreNotTakenForSuch(String change) throws Exception {
    writeRecords(0, 1_000, 300, 50);
    write(
        """
        env = lmdb.open(folder, map_size=1 << 30, sync=False)
        with env.begin(write=True) as txn:
            %s
        env.close()
        """
            .formatted(change));
    assertEquals(Optional.empty(), open().numberedKeys());
  }

  /** From their ends these are in order, and the first and last are as if they counted. */
  @Test
  void keysInAnotherOrderDoNotCount() throws Exception {
    write(
        """
        env = lmdb.open(folder, map_size=1 << 28, max_dbs=4)
        reverse = env.open_db(b"reverse", reverse_key=True)
        with env.begin(write=True) as txn:
            for key in (b"00", b"50", b"02"):
                txn.put(key, b"value", db=reverse)
        """);
    RecordIndex index =
        RecordIndex.openOrBuild(folder, Optional.of("reverse"), false, Progress.SILENT);
    assertEquals(3, index.size());
    assertEquals(Optional.empty(), index.numberedKeys());
  }

  @Test
  void findsKeysThatAreNotWhatTheIndexSays() throws Exception {
    writeRecords(0, 300, 3083, 100);
    RecordIndex index = open();
    byte[] bytes = Files.readAllBytes(folder.resolve("data.mdb"));
    int key;
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      Cursor cursor = snapshot.main().cursor();
      cursor.seekOrdinal(123);
      key = indexOf(bytes, cursor.key().toArray(ValueLayout.JAVA_BYTE));
    }
    bytes[key + 7] = '?';
    Files.write(folder.resolve("data.mdb"), bytes);
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(
          List.of(
              "record 123 (byte " + index.offset(123) + ") has another key than the index says"),
          index.verify(snapshot.main(), Progress.SILENT));
    }
  }

  /** The last place: leaves of earlier commits may still be there. */
  private static int indexOf(byte[] bytes, byte[] part) {
    int found = bytes.length - part.length;
    while (!Arrays.equals(bytes, found, found + part.length, part, 0, part.length)) {
      found--;
    }
    return found;
  }

  @Test
  void findsDamageWithinValuesByChecksums() throws Exception {
    writeRecords(0, 300, 3083, 100);
    RecordIndex index = RecordIndex.openOrBuild(folder, Optional.empty(), true, Progress.SILENT);
    assertTrue(index.hasChecksums());
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(List.of(), index.verify(snapshot.main(), Progress.SILENT));
    }
    byte[] bytes = Files.readAllBytes(folder.resolve("data.mdb"));
    bytes[(int) index.offset(123) + 77] ^= 1;
    Files.write(folder.resolve("data.mdb"), bytes);
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(
          List.of("record 123 (byte " + index.offset(123) + ") differs from its checksum"),
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
