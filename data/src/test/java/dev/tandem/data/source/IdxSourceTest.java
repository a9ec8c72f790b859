package dev.tandem.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.RecordSourceContract;
import dev.tandem.data.format.IdxFiles;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.importing.IdxImporter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class IdxSourceTest extends RecordSourceContract {

  private static final int COUNT = 30;

  private static byte[] images() {
    ByteBuffer bytes = ByteBuffer.allocate(16 + COUNT * 15);
    bytes.putInt(0x0803).putInt(COUNT).putInt(5).putInt(3);
    for (int i = 0; i < COUNT * 15; i++) {
      bytes.put((byte) (i * 7));
    }
    return bytes.array();
  }

  private static byte[] labels() {
    ByteBuffer bytes = ByteBuffer.allocate(8 + COUNT);
    bytes.putInt(0x0801).putInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      bytes.put((byte) (i % 10));
    }
    return bytes.array();
  }

  private static byte[] compressed(byte[] bytes) throws IOException {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(target)) {
      gzip.write(bytes);
    }
    return target.toByteArray();
  }

  private IdxFiles files(byte[] images, byte[] labels) throws IOException {
    return IdxFiles.read(
        Files.write(folder.resolve("train-images-idx3-ubyte"), images),
        Files.write(folder.resolve("train-labels-idx1-ubyte"), labels));
  }

  @Override
  protected RecordSource open() throws IOException {
    files(images(), labels());
    return Sources.open(folder, SourceFormat.Split.TRAIN);
  }

  @Override
  protected List<DataRecord> expected() throws IOException {
    return imported(new IdxImporter(files(images(), labels())));
  }

  @Test
  void compressedFilesHoldTheSame() throws IOException {
    List<DataRecord> expected = expected();
    try (IdxSource source = IdxSource.open(files(compressed(images()), compressed(labels())))) {
      for (int i = 0; i < COUNT; i++) {
        assertEquals(-1, expected.get(i).value().mismatch(source.record(i).value()));
      }
    }
  }

  @Test
  void cutAndLongFilesAreNamed() throws IOException {
    for (int length : new int[] {16, 100, images().length - 1, images().length + 1}) {
      for (boolean gzip : new boolean[] {false, true}) {
        byte[] bad = Arrays.copyOf(images(), length);
        IdxFiles files = files(gzip ? compressed(bad) : bad, labels());
        var e = assertThrows(WorkFailedException.class, () -> IdxSource.open(files));
        assertTrue(e.getMessage().startsWith(files.images() + " is "), e.getMessage());
      }
    }
    IdxFiles files = files(images(), Arrays.copyOf(labels(), 20));
    var e = assertThrows(WorkFailedException.class, () -> IdxSource.open(files));
    assertTrue(e.getMessage().startsWith(files.labels() + " is cut short"), e.getMessage());
    Path missing = folder.resolve("missing");
    e =
        assertThrows(
            WorkFailedException.class, () -> Sources.open(missing, SourceFormat.Split.TRAIN));
    assertEquals("cannot read " + missing + ": no such file or folder", e.getMessage());
  }
}
