package dev.tandem.data.load;

import dev.tandem.data.ImageFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory for one batch, used again and again. */
record Slot(MemorySegment images, MemorySegment labels, long imageBytes) {

  static Slot allocate(Arena arena, ImageFormat format, int samples) {
    long imageBytes = (long) format.values() * Float.BYTES;
    return new Slot(
        arena.allocate(imageBytes * samples, ValueLayout.JAVA_LONG.byteAlignment()),
        arena.allocate(ValueLayout.JAVA_LONG, samples),
        imageBytes);
  }

  static long bytes(ImageFormat format, int samples) {
    return samples * ((long) format.values() * Float.BYTES + Long.BYTES);
  }

  /** Makes sample {@code from} sample {@code to}. */
  void move(int from, int to) {
    MemorySegment.copy(images, from * imageBytes, images, to * imageBytes, imageBytes);
    long label = labels.getAtIndex(ValueLayout.JAVA_LONG, from);
    labels.setAtIndex(ValueLayout.JAVA_LONG, to, label);
  }
}
