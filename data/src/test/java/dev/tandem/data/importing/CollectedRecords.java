package dev.tandem.data.importing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A sink that keeps copies. */
final class CollectedRecords implements RecordSink {

  final List<String> keys = new ArrayList<>();
  final List<byte[]> values = new ArrayList<>();

  static CollectedRecords of(Importer importer) {
    CollectedRecords records = new CollectedRecords();
    importer.importTo(records);
    return records;
  }

  @Override
  public void put(MemorySegment key, MemorySegment value) {
    keys.add(new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
    values.add(value.toArray(ValueLayout.JAVA_BYTE));
  }

  MemorySegment value(int number) {
    return MemorySegment.ofArray(values.get(number));
  }
}
