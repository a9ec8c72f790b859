package dev.tandem.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.WorkFailedException;
import dev.tandem.core.numpy.NpyHeader;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NpySourceTest {

  @TempDir Path folder;

  private void write(String name, DType type, Shape shape, ByteBuffer elements) throws Exception {
    byte[] header = NpyHeader.encode(type, shape);
    byte[] bytes = new byte[header.length + elements.capacity()];
    System.arraycopy(header, 0, bytes, 0, header.length);
    elements.duplicate().rewind().get(bytes, header.length, elements.capacity());
    Files.write(folder.resolve(name), bytes);
  }

  private static ByteBuffer bytes(int count) {
    return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void volumesAndValues() throws Exception {
    ByteBuffer x = bytes(3 * 8);
    for (int i = 0; i < x.capacity(); i++) {
      x.put((byte) (i * 10));
    }
    ByteBuffer y = bytes(3 * 2 * Double.BYTES);
    for (int i = 0; i < 6; i++) {
      y.putDouble(i / 4.0);
    }
    write("x_train.npy", DType.UINT8, Shape.of(3, 1, 2, 2, 2), x);
    write("y_train.npy", DType.FLOAT64, Shape.of(3, 2), y);
    try (RecordSource source = Sources.open(folder, Split.TRAIN)) {
      assertEquals(3, source.size());
      ArrayRecord second = ArrayRecord.decode(source.record(1).value());
      assertEquals(List.of(1, 2, 2, 2), second.shape());
      assertEquals(List.of(0.5f, 0.75f), second.values());
      assertEquals(80 / 255.0, second.element(0));
      assertEquals(150 / 255.0, second.element(7));
    }
  }

  @Test
  void rowsAndLabels() throws Exception {
    ByteBuffer x = bytes(2 * 3 * Float.BYTES);
    for (int i = 0; i < 6; i++) {
      x.putFloat(i / 8f);
    }
    write("x.npy", DType.FLOAT32, Shape.of(2, 3), x);
    write("y.npy", DType.INT64, Shape.of(2), bytes(16).putLong(4).putLong(7));
    try (RecordSource source = Sources.open(folder.resolve("x.npy"), Split.TRAIN)) {
      ArrayRecord second = ArrayRecord.decode(source.record(1).value());
      assertEquals(7, second.label());
      assertEquals(5 / 8.0, second.element(2));
    }
    write("y.npy", DType.INT64, Shape.of(3), bytes(24));
    assertTrue(failure().contains("2 samples, but"), this::failure);
    write("y.npy", DType.INT64, Shape.of(2), bytes(8));
    assertTrue(failure().contains("is cut off"), this::failure);
    Files.delete(folder.resolve("y.npy"));
    assertTrue(failure().contains("there is no y.npy"), this::failure);
  }

  private String failure() {
    return assertThrows(WorkFailedException.class, () -> Sources.open(folder, Split.TRAIN))
        .getMessage();
  }
}
