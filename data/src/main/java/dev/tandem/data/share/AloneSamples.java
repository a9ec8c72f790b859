package dev.tandem.data.share;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.BadRecord;
import dev.tandem.data.load.RecordPreparation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Prepares samples for one consumer that cannot have them from others. For one thread. */
final class AloneSamples {

  private final RecordSource source;
  private final RecordPreparation.Writer writer;

  AloneSamples(RecordSource source, RecordPreparation preparation) {
    this.source = source;
    this.writer = preparation.writer();
  }

  /** Writes a sample; says what is wrong with its record, if it is bad. */
  Optional<BadRecord> write(long ordinal, long visit, MemorySegment input, MemorySegment target) {
    try (RecordBlock block = source.fetch(new long[] {ordinal})) {
      DataRecord record = block.record(0);
      try {
        writer.decode(record);
        writer.write(visit, ordinal, input, target);
        block.ensureIntact();
        return Optional.empty();
      } catch (WorkFailedException e) {
        return Optional.of(bad(ordinal, record, e.getMessage()));
      } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
        // What a decoder that trusts its input does with a bad record.
        return Optional.of(bad(ordinal, record, e.toString()));
      }
    }
  }

  private static BadRecord bad(long ordinal, DataRecord record, String reason) {
    byte[] key = record.key().toArray(ValueLayout.JAVA_BYTE);
    return new BadRecord(ordinal, new String(key, StandardCharsets.ISO_8859_1), reason);
  }
}
