package dev.tandem.data.read.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows of a sparse file around the ends of gibibytes. */
class MappedDataTest {

  private static final long GIBIBYTE = 1L << 30;

  @TempDir Path folder;

  @Test
  void emptyValueAtTheEndOfWholeGibibytes() throws IOException {
    MappedData data = new MappedData(file(GIBIBYTE, 0));
    assertEquals(0, MappedData.at(GIBIBYTE));
    assertEquals(0, data.window(GIBIBYTE).limit());
    assertEquals(0, data.view(GIBIBYTE).limit());
  }

  @Test
  void valueAcrossTheEndOfAGibibyteLiesWholeInItsWindow() throws IOException {
    long position = GIBIBYTE - 1;
    MappedData data = new MappedData(file(GIBIBYTE + 4096, position));
    ByteBuffer window = data.window(position);
    assertEquals(7, window.get(MappedData.at(position)));
    assertEquals(8, window.get(MappedData.at(position) + 1));
    assertEquals(8, data.window(position + 1).get(MappedData.at(position + 1)));
  }

  /** A file of holes but for the bytes 7 and 8 at a position. */
  private Path file(long size, long position) throws IOException {
    Path file = folder.resolve("data");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), size - 1);
      channel.write(ByteBuffer.wrap(new byte[] {7, 8}), position);
    }
    return file;
  }
}
