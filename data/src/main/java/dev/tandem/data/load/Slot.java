package dev.tandem.data.load;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory for one batch, used again and again. */
record Slot(MemorySegment images, MemorySegment labels, long imageBytes, long labelBytes) {

  static Slot allocate(Arena arena, RecordPreparation preparation, int samples) {
    long imageBytes = (long) preparation.values() * Float.BYTES;
    long labelBytes = preparation.targetBytes();
    return new Slot(
        arena.allocate(imageBytes * samples, ValueLayout.JAVA_LONG.byteAlignment()),
        arena.allocate(labelBytes * samples, ValueLayout.JAVA_LONG.byteAlignment()),
        imageBytes,
        labelBytes);
  }

  static long bytes(RecordPreparation preparation, int samples) {
    return samples * ((long) preparation.values() * Float.BYTES + preparation.targetBytes());
  }

  /** The memory of a sample's input. */
  MemorySegment image(int sample) {
    return images.asSlice(sample * imageBytes, imageBytes);
  }

  /** The memory of a sample's target. */
  MemorySegment label(int sample) {
    return labels.asSlice(sample * labelBytes, labelBytes);
  }

  /** Makes sample {@code from} sample {@code to}. */
  void move(int from, int to) {
    MemorySegment.copy(images, from * imageBytes, images, to * imageBytes, imageBytes);
    MemorySegment.copy(labels, from * labelBytes, labels, to * labelBytes, labelBytes);
  }
}
