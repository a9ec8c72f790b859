package dev.tandem.data.importing;

import dev.tandem.data.Datum;
import dev.tandem.data.format.BinaryInput;
import dev.tandem.data.format.IdxFiles;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * MNIST, Fashion-MNIST and whatever else comes as a pair of IDX files, plain or compressed with
 * gzip. Keys and messages as Caffe's {@code convert_mnist_data} writes them.
 */
public final class IdxImporter implements Importer {

  private final IdxFiles files;

  /** Reads the headers, so that files that do not belong together are refused at once. */
  public IdxImporter(Path images, Path labels) {
    this(IdxFiles.read(images, labels));
  }

  public IdxImporter(IdxFiles files) {
    this.files = files;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(files.count());
  }

  @Override
  public void importTo(RecordSink sink) {
    byte[] pixels = new byte[files.height() * files.width()];
    try (BinaryInput images = files.openImages();
        BinaryInput labels = files.openLabels()) {
      for (int number = 0; number < files.count(); number++) {
        images.fill(pixels, 0, pixels.length, "image", number + 1);
        int label = labels.unsignedByte("label", number + 1);
        Datum datum = Datum.of(1, files.height(), files.width(), label, pixels);
        sink.put(
            MemorySegment.ofArray(Keys.padded(number, 8)), MemorySegment.ofArray(datum.encode()));
      }
      images.expectEnd("its last image");
      labels.expectEnd("its last label");
    }
  }
}
