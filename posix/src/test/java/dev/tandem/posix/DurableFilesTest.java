package dev.tandem.posix;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {

  @TempDir Path folder;
  private final DurableFiles files = DurableFiles.system();

  @Test
  void replaceLeavesTheNewContentAndNothingElse() throws IOException {
    Path target = folder.resolve("state");
    files.replace(target, ByteBuffer.wrap("a longer first version".getBytes(UTF_8)));
    files.replace(target, ByteBuffer.wrap("second".getBytes(UTF_8)));
    assertEquals("second", Files.readString(target));
    try (var names = Files.list(folder)) {
      assertEquals(1, names.count());
    }
  }

  @Test
  void writesAndReadsAtPositions() {
    try (DurableFile file = files.openOrCreate(folder.resolve("f"))) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 5);
      assertEquals(8, file.size());
      ByteBuffer read = ByteBuffer.allocate(10);
      assertEquals(4, file.read(read, 4));
      assertArrayEquals(new byte[] {0, 1, 2, 3, 0, 0, 0, 0, 0, 0}, read.array());
      file.truncate(20);
      assertEquals(20, file.size());
      file.truncate(6);
      assertEquals(6, file.size());
      file.startWriting(0, 6);
      file.forceData();
      file.force();
    }
  }

  @Test
  void errorsNameTheFile() {
    Path missing = folder.resolve("nowhere/f");
    var e = assertThrows(WorkFailedException.class, () -> files.openOrCreate(missing));
    assertEquals("cannot open " + missing + ": no such file or folder", e.getMessage());
    assertFalse(files.exists(missing));
    assertTrue(files.exists(folder));
  }
}
