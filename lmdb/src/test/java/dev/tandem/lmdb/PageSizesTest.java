package dev.tandem.lmdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.check.StructureCheck;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Page sizes that this machine's liblmdb does not write, and files of our own writer. */
class PageSizesTest {

  @TempDir Path folder;

  /** A leaf with a value inside, an empty one, and one on two overflow pages. */
  @ParameterizedTest
  @ValueSource(ints = {512, 1024, 2048, 4096, 65_536})
  void readsAHandMadeFile(int pageSize) throws Exception {
    ByteBuffer file = ByteBuffer.allocate(5 * pageSize).order(ByteOrder.LITTLE_ENDIAN);
    byte[] big = new byte[2 * pageSize - PageFormat.PAGE_HEADER];
    Arrays.fill(big, (byte) 'x');
    for (int page = 0; page < 2; page++) {
      int at = page * pageSize;
      file.putLong(at, page).putShort(at + 10, (short) PageFormat.META);
      file.putInt(at + PageFormat.META_MAGIC, PageFormat.MAGIC);
      file.putInt(at + PageFormat.META_VERSION, PageFormat.VERSION);
      file.putInt(at + PageFormat.META_FREE_DB, pageSize);
      file.putLong(at + PageFormat.META_FREE_DB + PageFormat.DB_ROOT, PageFormat.NO_PAGE);
      int main = at + PageFormat.META_MAIN_DB;
      file.putShort(main + PageFormat.DB_DEPTH, (short) 1);
      file.putLong(main + PageFormat.DB_LEAF_PAGES, 1);
      file.putLong(main + PageFormat.DB_OVERFLOW_PAGES, 2);
      file.putLong(main + PageFormat.DB_ENTRIES, 3);
      file.putLong(main + PageFormat.DB_ROOT, 2);
      file.putLong(at + PageFormat.META_LAST_PAGE, 4);
      file.putLong(at + PageFormat.META_TXN_ID, page);
    }
    int leaf = 2 * pageSize;
    int end = pageSize;
    file.putLong(leaf, 2).putShort(leaf + 10, (short) PageFormat.LEAF);
    List<byte[]> data =
        List.of(
            "in the leaf".getBytes(UTF_8),
            new byte[0],
            ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(3).array());
    for (int i = 0; i < 3; i++) {
      end -= (PageFormat.NODE_HEADER + 1 + data.get(i).length + 1) & -2;
      int node = leaf + end;
      file.putInt(node, i == 2 ? big.length : data.get(i).length);
      file.putShort(node + 4, (short) (i == 2 ? PageFormat.BIG_DATA : 0));
      file.putShort(node + 6, (short) 1);
      file.put(node + 8, (byte) ('a' + i));
      file.put(node + 9, data.get(i));
      file.putShort(leaf + PageFormat.PAGE_HEADER + 2 * i, (short) end);
    }
    file.putShort(leaf + 12, (short) (PageFormat.PAGE_HEADER + 6));
    file.putShort(leaf + 14, (short) end);
    file.putLong(3 * pageSize, 3).putShort(3 * pageSize + 10, (short) PageFormat.OVERFLOW);
    file.putInt(3 * pageSize + 12, 2);
    file.put(3 * pageSize + PageFormat.PAGE_HEADER, big);
    Path path = folder.resolve("hand.mdb");
    Files.write(path, file.array());
    try (Environment environment = Environment.open(path);
        Snapshot snapshot = environment.snapshot()) {
      assertEquals(pageSize, snapshot.pageSize());
      Cursor cursor = snapshot.main().cursor();
      List<String> values = new ArrayList<>();
      while (cursor.next()) {
        values.add(new String(cursor.value().toArray(ValueLayout.JAVA_BYTE), UTF_8));
      }
      assertEquals(List.of("in the leaf", "", new String(big, UTF_8)), values);
      assertTrue(cursor.seekExact("b".getBytes(UTF_8)));
      assertFalse(cursor.seek("d".getBytes(UTF_8)));
      RecordIndex index = RecordIndex.build(snapshot.main(), false, Progress.SILENT);
      assertEquals(3L * pageSize + PageFormat.PAGE_HEADER, index.offset(2));
      assertEquals(List.of(), StructureCheck.run(snapshot, Progress.SILENT).problems());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 16_384, 32_768})
  void readsWhatOurWriterWrites(int pageSize) {
    SplittableRandom random = TestSeed.of(PageSizesTest.class).derive(pageSize).random();
    TreeMap<String, byte[]> expected = new TreeMap<>();
    WriterOptions options = WriterOptions.DEFAULT.withPageSize(pageSize).withSync(false);
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder, options);
        Environment environment = Environment.open(folder)) {
      for (int round = 0; round < 8; round++) {
        try (Snapshot before = environment.snapshot()) {
          assertTrue(before.protectedBySlot());
          Map<String, byte[]> old = new TreeMap<>(expected);
          try (WriteTransaction transaction = writer.begin()) {
            WriteDatabase main = transaction.main();
            for (int i = 0; i < 400; i++) {
              String key = String.format("%06d", random.nextInt(3000));
              if (random.nextInt(5) == 0) {
                main.delete(key.getBytes(UTF_8));
                expected.remove(key);
              } else {
                byte[] value = new byte[(int) Math.pow(2, random.nextDouble(17)) - 1];
                random.nextBytes(value);
                main.put(key.getBytes(UTF_8), value);
                expected.put(key, value);
              }
            }
            transaction.commit();
          }
          check(before, old);
          try (Snapshot after = environment.snapshot()) {
            check(after, expected);
          }
        }
      }
    }
  }

  private static void check(Snapshot snapshot, Map<String, byte[]> expected) {
    Cursor cursor = snapshot.main().cursor();
    RecordIndex index = RecordIndex.build(snapshot.main(), false, Progress.SILENT);
    long ordinal = 0;
    for (Map.Entry<String, byte[]> entry : expected.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), new String(cursor.key().toArray(ValueLayout.JAVA_BYTE), UTF_8));
      assertArrayEquals(entry.getValue(), cursor.value().toArray(ValueLayout.JAVA_BYTE));
      assertEquals(cursor.valuePosition(), index.offset(ordinal));
      assertEquals(entry.getValue().length, index.length(ordinal++));
    }
    assertFalse(cursor.next());
    StructureCheck.Report report = StructureCheck.run(snapshot, Progress.SILENT);
    assertEquals(List.of(), report.problems());
    assertEquals(0, report.census().lost());
  }
}
