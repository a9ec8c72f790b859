package dev.tandem.data.importing;

import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** All records of a source as they are; their numbers go before their keys, to keep the order. */
public final class SourceImporter implements Importer {

  private static final int TOGETHER = 256;

  private final RecordSource source;

  /** The source stays the caller's. */
  public SourceImporter(RecordSource source) {
    this.source = source;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(source.size());
  }

  @Override
  public void importTo(RecordSink sink) {
    for (long first = 0; first < source.size(); first += TOGETHER) {
      long end = Math.min(first + TOGETHER, source.size());
      try (RecordBlock block = source.fetch(LongStream.range(first, end).toArray())) {
        for (int i = 0; i < block.size(); i++) {
          DataRecord record = block.record(i);
          byte[] bytes = record.key().toArray(ValueLayout.JAVA_BYTE);
          String key = new String(bytes, StandardCharsets.UTF_8);
          byte[] numbered = Keys.padded(first + i, 8, "_" + key);
          sink.put(MemorySegment.ofArray(numbered), record.value());
        }
      }
    }
  }
}
