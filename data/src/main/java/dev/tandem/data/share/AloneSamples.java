package dev.tandem.data.share;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.BadRecord;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.RecordPreparation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Prepares samples for one consumer that cannot have them from others. For one thread. */
final class AloneSamples {

  private final RecordSource source;
  private final RecordPreparation.Writer writer;
  private final BadRecords badRecords;
  private long skipped;

  /**
   * Prepares nothing yet.
   *
   * @param badRecords how many may be left out
   */
  AloneSamples(RecordSource source, RecordPreparation preparation, BadRecords badRecords) {
    this.source = source;
    this.writer = preparation.writer();
    this.badRecords = badRecords;
  }

  /** Writes a sample; false if its record is bad and may be left out. */
  boolean write(long ordinal, long visit, MemorySegment input, MemorySegment target) {
    Optional<BadRecord> bad = written(ordinal, visit, input, target);
    bad.ifPresent(this::account);
    return bad.isEmpty();
  }

  private void account(BadRecord record) {
    skipped++;
    switch (badRecords) {
      case BadRecords.Fatal _ ->
          throw new WorkFailedException(
              record
                  + "; repair or remove it, or set data.skip-bad-records to the number of records"
                  + " that may be left out");
      case BadRecords.Skip(long most) -> {
        if (skipped > most) {
          throw new WorkFailedException(
              "%d bad records, where %d may be skipped; the last is %s"
                  .formatted(skipped, most, record));
        }
      }
    }
  }

  private Optional<BadRecord> written(
      long ordinal, long visit, MemorySegment input, MemorySegment target) {
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
