package dev.tandem.bench.batch;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.format.IdxFiles;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.nn.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Half of Fashion-MNIST in native memory, as float32 that the network takes; used by one thread.
 * The memory belongs to the arena that it was loaded into.
 */
final class Fashion {

  /** Of all training pixels, on a scale from 0 to 1. */
  private static final double PIXEL_MEAN = 0.286;

  private static final double PIXEL_DEVIATION = 0.353;

  private final MemorySegment images;
  private final MemorySegment labels;
  private final int size;
  private final long pixels;

  private Fashion(MemorySegment images, MemorySegment labels, int size, long pixels) {
    this.images = images;
    this.labels = labels;
    this.size = size;
    this.pixels = pixels;
  }

  /**
   * Loads the first samples of a half.
   *
   * @param folder with the four files as they are distributed
   * @param most how many samples at most
   */
  static Fashion load(Path folder, SourceFormat.Split split, int most, Arena arena) {
    if (!Files.isDirectory(folder)) {
      throw new WorkFailedException(
          "there is no Fashion-MNIST in %s: install it (Debian: apt-get install dataset-fashion-mnist) or name its folder with --data"
              .formatted(folder));
    }
    IdxFiles files = SourceFormat.idx(folder, null, split);
    int size = Math.min(most, files.count());
    long pixels = (long) files.height() * files.width();
    byte[] bytes = files.readImages();
    byte[] answers = files.readLabels();
    MemorySegment images = arena.allocate(size * pixels * Float.BYTES, 64);
    for (long i = 0; i < size * pixels; i++) {
      double value = ((bytes[(int) i] & 0xFF) / 255.0 - PIXEL_MEAN) / PIXEL_DEVIATION;
      images.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
    }
    MemorySegment labels = arena.allocate((long) size * Long.BYTES, 64);
    for (int i = 0; i < size; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, answers[i] & 0xFF);
    }
    return new Fashion(images, labels, size, pixels);
  }

  int size() {
    return size;
  }

  /** Some samples as they lie in memory. */
  Samples slice(int first, int count) {
    long bytes = pixels * Float.BYTES;
    return new Samples(
        images.asSlice(first * bytes, count * bytes),
        labels.asSlice((long) first * Long.BYTES, (long) count * Long.BYTES),
        count);
  }

  /** Copies the samples with these places, from one of them on, into memory for a batch. */
  Samples gather(int[] places, int first, int count, Samples into) {
    long bytes = pixels * Float.BYTES;
    for (int i = 0; i < count; i++) {
      long place = places[first + i];
      MemorySegment.copy(images, place * bytes, into.inputs(), i * bytes, bytes);
      long label = labels.getAtIndex(ValueLayout.JAVA_LONG, place);
      into.targets().setAtIndex(ValueLayout.JAVA_LONG, i, label);
    }
    return new Samples(into.inputs(), into.targets(), count);
  }

  /** Memory for batches of at most this many samples. */
  Samples room(int count, Arena arena) {
    return new Samples(
        arena.allocate(count * pixels * Float.BYTES, 64),
        arena.allocate((long) count * Long.BYTES, 64),
        count);
  }
}
