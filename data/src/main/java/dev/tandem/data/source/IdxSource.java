package dev.tandem.data.source;

import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.format.IdxFiles;
import dev.tandem.data.format.Keys;
import dev.tandem.data.format.MappedFile;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;

/** A pair of IDX files; a plain file of images is mapped, a compressed one unpacked in memory. */
public final class IdxSource extends CopyingSource {

  private static final int KEY_DIGITS = 8;

  private final IdxFiles files;
  private final Arena arena;
  private final MemorySegment pixels;
  private final byte[] labels;

  private IdxSource(IdxFiles files, Arena arena, MemorySegment pixels, byte[] labels) {
    this.files = files;
    this.arena = arena;
    this.pixels = pixels;
    this.labels = labels;
  }

  /** Opens files whose headers were read; one that is cut short is refused. */
  public static IdxSource open(IdxFiles files) {
    Arena arena = Arena.ofShared();
    try {
      long header = IdxFiles.IMAGES_HEADER;
      long bytes = (long) files.count() * files.height() * files.width();
      boolean plain = Files.size(files.images()) == header + bytes;
      MemorySegment pixels =
          plain
              ? MappedFile.map(files.images(), arena).asSlice(header)
              : MemorySegment.ofArray(files.readImages());
      return new IdxSource(files, arena, pixels, files.readLabels());
    } catch (IOException e) {
      arena.close();
      throw FileErrors.failure("read", files.images(), e);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  @Override
  public long size() {
    return files.count();
  }

  @Override
  DataRecord make(long ordinal) {
    long bytes = (long) files.height() * files.width();
    MemorySegment image = pixels.asSlice(ordinal * bytes, bytes);
    int label = labels[(int) ordinal] & 0xFF;
    byte[] value = new Datum(1, files.height(), files.width(), label, image).encode();
    return new DataRecord(
        MemorySegment.ofArray(Keys.padded(ordinal, KEY_DIGITS)), MemorySegment.ofArray(value));
  }

  @Override
  public void close() {
    arena.close();
  }
}
