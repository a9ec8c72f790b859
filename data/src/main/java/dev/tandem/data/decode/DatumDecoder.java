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
 * @param channels 1: colour images become grey; 3: grey images get three equal channels; any other
 *     number leaves plain pixels as they are and gives compressed images three channels
 */
public record DatumDecoder(int channels) implements SampleDecoder {

  @Override
  public Sample decode(DataRecord record) {
    Datum.Fields fields = Datum.fields(record.value());
    if (fields.encoded()) {
      return new Sample(decoded(fields.data(), channels == 1), fields.label());
    }
    Datum datum =
        new Datum(
            fields.channels(), fields.height(), fields.width(), fields.label(), fields.data());
    Image image = Image.of(datum.pixels(), datum.channels(), datum.height(), datum.width());
    boolean convert = channels == 1 || channels == 3;
    return new Sample(convert ? image.inChannels(channels) : image, datum.label());
  }

  static Image decoded(MemorySegment file, boolean grey) {
    if (file.byteSize() > Integer.MAX_VALUE - 16) {
      throw new WorkFailedException(
          "an image file of %,d bytes is too large".formatted(file.byteSize()));
    }
    return Image.of(ImageFiles.decode("in it", file.toArray(ValueLayout.JAVA_BYTE), grey));
  }
}
