package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of leaves that the caller has read, however many of a leaf are sought. */
class LeafKeysTest {

  private static final int RECORDS = 3_000;

  @TempDir Path folder;

  private final Seed seed = TestSeed.of(LeafKeysTest.class);

  private void write() {
    SplittableRandom random = seed.random();
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder, WriterOptions.DEFAULT);
        WriteTransaction transaction = writer.begin()) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] key = new byte[1 + random.nextInt(80)];
        random.nextBytes(key);
        transaction.main().put(key, new byte[random.nextInt(200)]);
      }
      transaction.commit();
    }
  }

  private static List<byte[]> keys(Database database) {
    List<byte[]> keys = new ArrayList<>();
    Cursor cursor = database.cursor();
    while (cursor.next()) {
      keys.add(cursor.key().toArray(ValueLayout.JAVA_BYTE));
    }
    return keys;
  }

  /** All of the file, in a buffer of one of the kinds that readers have. */
  private ByteBuffer file(boolean direct) throws Exception {
    byte[] bytes = Files.readAllBytes(folder.resolve("data.mdb"));
    ByteBuffer heap = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return direct
        ? ByteBuffer.allocateDirect(bytes.length).put(0, bytes).order(ByteOrder.LITTLE_ENDIAN)
        : heap;
  }

  @Test
  void areThoseOfACursorInOrderAndAtRandom() throws Exception {
    write();
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      List<byte[]> expected = keys(snapshot.main());
      RecordIndex index = RecordIndex.build(snapshot.main(), false, Progress.SILENT);
      SplittableRandom random = seed.derive(1).random();
      for (boolean direct : new boolean[] {false, true}) {
        ByteBuffer file = file(direct);
        LeafKeys leaf = new LeafKeys(snapshot.main());
        RecordIndex.Leaf at;
        for (long first = 0; first < index.size(); first = at.end()) {
          at = index.leaf(first);
          assertEquals(first, at.first());
          long page = at.page();
          long count = at.end() - first;
          leaf.load(page, file, (int) page * index.pageSize());
          for (int sought = 0; sought < 2 * count; sought++) {
            long record = sought < count ? sought : random.nextLong(count);
            leaf.seek(record);
            byte[] key = new byte[leaf.keyLength()];
            file.get(leaf.keyAt(), key);
            assertArrayEquals(expected.get((int) (first + record)), key);
          }
          assertThrows(DamagedDatabaseException.class, () -> leaf.seek(count));
        }
      }
    }
  }

  @Test
  void aDamagedNodeIsNamed() throws Exception {
    write();
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      RecordIndex index = RecordIndex.build(snapshot.main(), false, Progress.SILENT);
      long page = index.leaf(0).page();
      int at = (int) page * index.pageSize();
      ByteBuffer file = file(false);
      int third = at + PageFormat.PAGE_HEADER + 2 * 2;
      int node = at + (file.getShort(third) & 0xFFFF);
      short offset = file.getShort(third);

      file.putShort(third, (short) (index.pageSize() - 4));
      assertTrue(
          message(snapshot, page, file, at, 0, 1, 2).contains("node 2 cannot begin at byte"));

      file.putShort(third, offset);
      file.putShort(node + 6, (short) 60_000);
      assertTrue(message(snapshot, page, file, at, 0, 1, 2).contains("the key of node 2 leaves"));
    }
  }

  private static String message(
      Snapshot snapshot, long page, ByteBuffer file, int at, int... records) {
    LeafKeys leaf = new LeafKeys(snapshot.main());
    leaf.load(page, file, at);
    for (int i = 0; i < records.length - 1; i++) {
      leaf.seek(records[i]);
    }
    int last = records[records.length - 1];
    return assertThrows(DamagedDatabaseException.class, () -> leaf.seek(last)).getMessage();
  }
}
