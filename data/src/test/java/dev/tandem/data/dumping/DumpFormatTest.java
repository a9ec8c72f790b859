package dev.tandem.data.dumping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DumpFormatTest {

  private static final Path NAME = Path.of("some.dump");

  private static DumpHeader header(boolean printable, Optional<String> name, int flags) {
    return new DumpHeader(printable, name, flags, 1 << 20, 0, 126, 4096);
  }

  private static DumpReader reader(byte[] text) {
    return new DumpReader(NAME, new ByteArrayInputStream(text));
  }

  private static DumpReader reader(String text) {
    return reader(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void theTextIsWhatMdbDumpWrites() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DumpWriter writer = new DumpWriter(bytes);
    writer.begin(header(true, Optional.of("one"), 0x04 | 0x10));
    writer.record(
        MemorySegment.ofArray("a b".getBytes(StandardCharsets.US_ASCII)),
        MemorySegment.ofArray(new byte[] {0, '~', 127, -1, '\\'}));
    writer.end();
    writer.begin(header(false, Optional.empty(), 0));
    writer.record(MemorySegment.ofArray(new byte[] {-2}), MemorySegment.ofArray(new byte[0]));
    writer.end();
    writer.flush();
    assertEquals(
        """
        VERSION=3
        format=print
        database=one
        type=btree
        mapsize=1048576
        maxreaders=126
        duplicates=1
        dupsort=1
        dupfixed=1
        db_pagesize=4096
        HEADER=END
         a b
         \\00~\\7f\\ff\\
        DATA=END
        VERSION=3
        format=bytevalue
        type=btree
        mapsize=1048576
        maxreaders=126
        db_pagesize=4096
        HEADER=END
         fe
        \040
        DATA=END
        """,
        bytes.toString(StandardCharsets.ISO_8859_1));
  }

  @Test
  void whatIsWrittenIsReadAgain() throws IOException {
    SplittableRandom random = TestSeed.of(DumpFormatTest.class).random();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DumpWriter writer = new DumpWriter(bytes);
    List<byte[]> written = new ArrayList<>();
    for (int database = 0; database < 4; database++) {
      writer.begin(header(database % 2 == 0, Optional.of("db" + database), database));
      for (int i = 0; i < 100; i++) {
        byte[] key = new byte[1 + random.nextInt(511)];
        byte[] value = new byte[i == 50 ? 300_000 : random.nextInt(5_000)];
        for (byte[] array : List.of(key, value)) {
          random.nextBytes(array);
          // Unescaped in mdb_dump's text, so ambiguous there.
          for (int at = 0; at < array.length; at++) {
            array[at] = array[at] == '\\' ? 0 : array[at];
          }
          written.add(array);
        }
        writer.record(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
      }
      writer.end();
    }
    writer.flush();
    DumpReader reader = reader(bytes.toByteArray());
    int at = 0;
    for (int database = 0; database < 4; database++) {
      DumpHeader header = reader.nextDatabase().orElseThrow();
      assertEquals(header(database % 2 == 0, Optional.of("db" + database), database & 2), header);
      while (reader.next()) {
        assertArrayEquals(written.get(at++), reader.key().toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(written.get(at++), reader.value().toArray(ValueLayout.JAVA_BYTE));
      }
    }
    assertEquals(written.size(), at);
    assertTrue(reader.nextDatabase().isEmpty());
  }

  @Test
  void escapesOfEveryVersionAreUnderstood() {
    DumpReader reader =
        reader("VERSION=3\nformat=print\nHEADER=END\n a\\\\b\\41\\xy\\\n \\0A\nDATA=END\n");
    reader.nextDatabase();
    assertTrue(reader.next());
    assertEquals(
        "a\\bA\\xy\\",
        new String(reader.key().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
    assertArrayEquals(new byte[] {10}, reader.value().toArray(ValueLayout.JAVA_BYTE));
    assertFalse(reader.next());
    assertTrue(reader.nextDatabase().isEmpty());
  }

  @Test
  void whatIsWrongIsNamedWithItsLine() {
    String head = "VERSION=3\nformat=bytevalue\ntype=btree\nHEADER=END\n";
    wrong("", "line 1: the dump is empty");
    wrong("hello\n", "line 1: this is no header");
    wrong("type=btree\n", "line 1: this is no header");
    wrong("VERSION=4\n", "line 1: version 4");
    wrong("VERSION=3\nformat=odd\n", "line 2: format odd");
    wrong("VERSION=3\ntype=hash\n", "line 2: a dump of type hash");
    wrong("VERSION=3\nmapsize=x\n", "line 2: 'x' is no number");
    wrong("VERSION=3\nformat=print\n", "line 2: the dump ends within a header");
    wrong(head, "line 4: the dump ends without DATA=END");
    wrong(head + " 00\n", "line 5: the dump ends between a key and its value");
    wrong(head + " 000\n 00\n", "line 5: an odd number");
    wrong(head + " 00\n 0g\n", "line 6: a character that is no hexadecimal digit");
    wrong(head + "00\n 00\n", "line 5: a line of a record begins with a space");
  }

  private static void wrong(String text, String expected) {
    WorkFailedException e =
        assertThrows(
            WorkFailedException.class,
            () -> {
              DumpReader reader = reader(text);
              while (reader.nextDatabase().isPresent()) {
                while (reader.next()) {}
              }
            });
    assertTrue(e.getMessage().startsWith(NAME + ", " + expected), e.getMessage());
  }
}
