package dev.tandem.data.decode;

import dev.tandem.data.DataRecord;
import java.util.function.ToIntFunction;

/**
 * Records that are image files, JPEG or PNG, as they are.
 *
 * @param grey one channel instead of three
 * @param label the class of a record, from its key or from elsewhere
 */
public record ImageFileDecoder(boolean grey, ToIntFunction<DataRecord> label)
    implements SampleDecoder {

  @Override
  public Sample decode(DataRecord record) {
    return new Sample(DatumDecoder.decoded(record.value(), grey), label.applyAsInt(record));
  }
}
