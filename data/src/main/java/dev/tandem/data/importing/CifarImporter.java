package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * CIFAR-10 in its binary version: files of records of one label byte and 3x32x32 pixels. Keys and
 * messages as Caffe's {@code convert_cifar_data} writes them.
 */
public final class CifarImporter implements Importer {

  private static final int CHANNELS = 3;
  private static final int SIDE = 32;
  private static final int PIXELS = CHANNELS * SIDE * SIDE;
  static final int RECORD = 1 + PIXELS;
  private static final int CLASSES = 10;

  private final List<Path> files;
  private final long count;

  /**
   * Looks at the sizes of the files, so that a cut one is refused at once.
   *
   * @param files the batches, in the order in which their records are numbered
   */
  public CifarImporter(List<Path> files) {
    this.files = List.copyOf(files);
    long records = 0;
    for (Path file : files) {
      records += records(file);
    }
    count = records;
  }

  private static long records(Path file) {
    try {
      long size = Files.size(file);
      if (size == 0 || size % RECORD != 0) {
        throw new WorkFailedException(
            "%s is cut short or no CIFAR-10 file: its %,d bytes are no whole number of records of %,d bytes"
                .formatted(file, size, RECORD));
      }
      return size / RECORD;
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(count);
  }

  @Override
  public void importTo(RecordSink sink) {
    DatumMessage datum = new DatumMessage();
    long number = 0;
    for (Path file : files) {
      try (BinaryInput input = BinaryInput.open(file)) {
        for (long record = 1; !input.atEnd(); record++) {
          int label = input.unsignedByte("record", record);
          if (label >= CLASSES) {
            throw new WorkFailedException(
                "%s is no CIFAR-10 file: record %,d has label %d, not one of 0..%d"
                    .formatted(file, record, label, CLASSES - 1));
          }
          datum.begin(CHANNELS, SIDE, SIDE);
          input.fill(datum.buffer(), datum.dataAt(), PIXELS, "record", record);
          datum.dataDone(PIXELS);
          datum.label(label);
          sink.put(MemorySegment.ofArray(Keys.padded(number++, 5)), datum.message());
        }
      }
    }
  }
}
