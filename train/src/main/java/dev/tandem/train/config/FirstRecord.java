package dev.tandem.train.config;

import dev.tandem.core.TandemException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;

/**
 * What the first record of a data set tells of all.
 *
 * @param known whether there is one to look at
 * @param array whether it is an array instead of an image
 * @param values numbers in its target; 0 if the target is a label
 */
record FirstRecord(boolean known, boolean array, int values) {

  private static final FirstRecord UNKNOWN = new FirstRecord(false, false, 0);

  /** Looks at a data set; whatever is wrong with it is found, and reported, when it is checked. */
  static FirstRecord of(DataPart train, Locate locate) {
    if (!Files.exists(train.path())) {
      return UNKNOWN;
    }
    try (RecordSource source = Sources.open(train, locate)) {
      MemorySegment value = source.record(0).value();
      return ArrayRecord.is(value)
          ? new FirstRecord(true, true, ArrayRecord.decode(value).values().size())
          : new FirstRecord(true, false, 0);
    } catch (TandemException | IndexOutOfBoundsException e) {
      return UNKNOWN;
    }
  }
}
