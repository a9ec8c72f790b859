package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDigits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Drawn digits in memory. */
record GlyphRecords(List<byte[]> values) implements RecordSource {

  static GlyphRecords draw(Seed seed, int count) {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Glyph glyph = GlyphDigits.draw(seed, i);
      values.add(Datum.of(1, 28, 28, glyph.label(), glyph.pixels()).encode());
    }
    return new GlyphRecords(values);
  }

  @Override
  public long size() {
    return values.size();
  }

  @Override
  public DataRecord record(long ordinal) {
    MemorySegment key = MemorySegment.ofArray(new byte[] {(byte) ordinal});
    return new DataRecord(key, MemorySegment.ofArray(values.get((int) ordinal)));
  }

  @Override
  public void close() {}
}
