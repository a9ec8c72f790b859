package dev.tandem.lmdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial of this module: docs/lmdb.md and the README quote it, and here it must hold. */
class TutorialTest {

  @TempDir Path folder;

  @Test
  void writeReadIndex() throws Exception {
    Path path = folder.resolve("fruit");

    // Write: folder and files are made, there is no map size to guess.
    try (EnvironmentWriter writer = EnvironmentWriter.open(path, WriterOptions.DEFAULT);
        WriteTransaction transaction = writer.begin()) {
      WriteDatabase fruit = transaction.main();
      fruit.put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
      fruit.put("banana".getBytes(UTF_8), "yellow".getBytes(UTF_8));
      fruit.put("plum".getBytes(UTF_8), "blue".getBytes(UTF_8));
      transaction.commit(); // on disk when it returns; closing without it changes nothing
    }

    // Read: a snapshot does not change while others write. Keys and values are views of the
    // mapped file, valid until the snapshot is closed.
    try (Environment environment = Environment.open(path);
        Snapshot snapshot = environment.snapshot()) {
      Cursor cursor = snapshot.main().cursor();
      StringBuilder all = new StringBuilder();
      while (cursor.next()) {
        all.append(text(cursor.key())).append('=').append(text(cursor.value())).append(' ');
      }
      assertEquals("apple=red banana=yellow plum=blue ", all.toString());

      assertTrue(cursor.seek("b".getBytes(UTF_8))); // the first key from "b" on
      assertEquals("banana", text(cursor.key()));
      assertTrue(cursor.seekOrdinal(2)); // the third record
      assertEquals("plum", text(cursor.key()));
      assertFalse(cursor.next());
    }

    // Index: where in the file the value of every record lies, so that any record is one read.
    RecordIndex index = RecordIndex.openOrBuild(path, Progress.SILENT); // kept as data.mdb.tdx
    byte[] value = new byte[(int) index.length(1)];
    try (RandomAccessFile file = new RandomAccessFile(path.resolve("data.mdb").toFile(), "r")) {
      file.seek(index.offset(1));
      file.readFully(value);
    }
    assertArrayEquals("yellow".getBytes(UTF_8), value);
  }

  private static String text(MemorySegment bytes) {
    return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
  }
}
