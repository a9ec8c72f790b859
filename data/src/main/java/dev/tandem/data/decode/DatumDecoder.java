package dev.tandem.data.decode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.ImageFiles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Caffe Datum records: plain pixels, which are not copied, or a JPEG or PNG file inside.
 *
 * @param grey compressed images become one channel instead of three
 */
public record DatumDecoder(boolean grey) implements SampleDecoder {

  @Override
  public Sample decode(DataRecord record) {
    Datum.Fields fields = Datum.fields(record.value());
    if (fields.encoded()) {
      return new Sample(decoded(fields.data(), grey), fields.label());
    }
    Datum datum =
        new Datum(
            fields.channels(), fields.height(), fields.width(), fields.label(), fields.data());
    return new Sample(
        Image.of(datum.pixels(), datum.channels(), datum.height(), datum.width()), datum.label());
  }

  static Image decoded(MemorySegment file, boolean grey) {
    if (file.byteSize() > Integer.MAX_VALUE - 16) {
      throw new WorkFailedException("an image file of %,d bytes".formatted(file.byteSize()));
    }
    return Image.of(ImageFiles.decode("in it", file.toArray(ValueLayout.JAVA_BYTE), grey));
  }
}
