package dev.tandem.data.load;

import dev.tandem.data.DataRecord;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A record that no sample can be made of, and why. */
public record BadRecord(long ordinal, String key, String reason) {

  static BadRecord of(long ordinal, DataRecord record, String reason) {
    byte[] key = record.key().toArray(ValueLayout.JAVA_BYTE);
    return new BadRecord(ordinal, new String(key, StandardCharsets.ISO_8859_1), reason);
  }

  @Override
  public String toString() {
    return "record '" + key + "': " + reason;
  }
}
