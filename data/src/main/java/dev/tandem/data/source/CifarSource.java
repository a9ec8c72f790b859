package dev.tandem.data.source;

import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.format.CifarFiles;
import dev.tandem.data.format.Keys;
import dev.tandem.data.format.MappedFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** CIFAR-10's binary files, mapped, numbered through. */
public final class CifarSource extends CopyingSource {

  private static final int KEY_DIGITS = 5;

  private final Arena arena;
  private final List<MemorySegment> files;
  private final List<Long> counts;
  private final long size;

  private CifarSource(Arena arena, List<MemorySegment> files, CifarFiles description) {
    this.arena = arena;
    this.files = files;
    this.counts = description.counts();
    this.size = description.count();
  }

  /** Opens files whose sizes were checked. */
  public static CifarSource open(CifarFiles description) {
    Arena arena = Arena.ofShared();
    try {
      List<MemorySegment> files = new ArrayList<>();
      description.paths().forEach(path -> files.add(MappedFile.map(path, arena)));
      return new CifarSource(arena, files, description);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  DataRecord make(long ordinal) {
    int file = 0;
    long within = ordinal;
    while (within >= counts.get(file)) {
      within -= counts.get(file);
      file++;
    }
    MemorySegment record = files.get(file).asSlice(within * CifarFiles.RECORD, CifarFiles.RECORD);
    int label = record.get(ValueLayout.JAVA_BYTE, 0) & 0xFF;
    Datum datum =
        new Datum(CifarFiles.CHANNELS, CifarFiles.SIDE, CifarFiles.SIDE, label, record.asSlice(1));
    return new DataRecord(
        MemorySegment.ofArray(Keys.padded(ordinal, KEY_DIGITS)),
        MemorySegment.ofArray(datum.encode()));
  }

  @Override
  public void close() {
    arena.close();
  }
}
