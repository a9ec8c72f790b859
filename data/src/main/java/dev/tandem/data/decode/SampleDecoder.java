package dev.tandem.data.decode;

import dev.tandem.data.DataRecord;

/** Makes an image and a label of a record. Called by several threads at once. */
@FunctionalInterface
public interface SampleDecoder {

  /**
   * Decodes a record; the sample may borrow from it. A record that cannot be decoded is a {@link
   * dev.tandem.core.WorkFailedException} with the reason; the loader adds the key.
   */
  Sample decode(DataRecord record);
}
