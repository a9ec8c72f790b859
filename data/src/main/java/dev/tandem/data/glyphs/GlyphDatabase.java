package dev.tandem.data.glyphs;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import dev.tandem.lmdb.write.BulkWriter;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.DurableFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/** Writes drawn digits as an LMDB environment of Caffe Datum records, keys {@code %08d}. */
public final class GlyphDatabase {

  /** Records drawn in parallel, then written in order, in one commit. */
  private static final int CHUNK = 1_000;

  private GlyphDatabase() {}

  /**
   * Draws glyphs 0 to {@code count - 1} of this seed into a new environment. The folder gets its
   * name when it is complete; until then it bears the suffix {@code .pending}.
   */
  public static void write(Path folder, Seed seed, int count, Progress progress) {
    Path pending = folder.resolveSibling(folder.getFileName() + ".pending");
    try (BulkWriter writer = BulkWriter.open(pending, WriterOptions.DEFAULT, CHUNK);
        Progress.Task task = progress.start("drawing " + folder.getFileName(), count, "images")) {
      for (long first = 0; first < count; first += CHUNK) {
        long end = Math.min(count, first + CHUNK);
        List<byte[]> values =
            LongStream.range(first, end)
                .parallel()
                .mapToObj(index -> encode(GlyphDigits.draw(seed, index)))
                .toList();
        for (int i = 0; i < values.size(); i++) {
          writer.put(key(first + i), values.get(i));
        }
        task.advanceTo(end);
      }
    }
    DurableFiles.system().rename(pending, folder);
    DurableFiles.system().forceDirectory(folder.toAbsolutePath().getParent());
  }

  private static byte[] key(long index) {
    return "%08d".formatted(index).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] encode(Glyph glyph) {
    return Datum.of(1, Glyph.SIDE, Glyph.SIDE, glyph.label(), glyph.pixels()).encode();
  }
}
