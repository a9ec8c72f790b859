package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.format.BinaryInput;
import dev.tandem.data.format.CifarFiles;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * CIFAR-10 in its binary version: files of records of one label byte and 3x32x32 pixels. Keys and
 * messages as Caffe's {@code convert_cifar_data} writes them.
 */
public final class CifarImporter implements Importer {

  private static final int PIXELS = CifarFiles.RECORD - 1;
  private static final int CLASSES = 10;

  private final CifarFiles files;

  /**
   * Looks at the sizes of the files, so that a cut one is refused at once.
   *
   * @param files the batches, in the order in which their records are numbered
   */
  public CifarImporter(List<Path> files) {
    this(CifarFiles.of(files));
  }

  public CifarImporter(CifarFiles files) {
    this.files = files;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(files.count());
  }

  @Override
  public void importTo(RecordSink sink) {
    byte[] pixels = new byte[PIXELS];
    long number = 0;
    for (Path file : files.paths()) {
      try (BinaryInput input = BinaryInput.open(file)) {
        for (long record = 1; !input.atEnd(); record++) {
          int label = input.unsignedByte("record", record);
          if (label >= CLASSES) {
            throw new WorkFailedException(
                "%s is no CIFAR-10 file: record %,d has label %d, not one of 0..%d"
                    .formatted(file, record, label, CLASSES - 1));
          }
          input.fill(pixels, 0, PIXELS, "record", record);
          Datum datum =
              Datum.of(CifarFiles.CHANNELS, CifarFiles.SIDE, CifarFiles.SIDE, label, pixels);
          sink.put(
              MemorySegment.ofArray(Keys.padded(number++, 5)),
              MemorySegment.ofArray(datum.encode()));
        }
      }
    }
  }
}
