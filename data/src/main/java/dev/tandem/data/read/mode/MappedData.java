package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A data file in memory, in windows that overlap: a value of up to a gibibyte lies whole in the
 * window of its first byte. Buffers, because a new JVM reads through them several times faster than
 * through segments. The windows are one thread's own; they are unmapped when nothing uses them any
 * more.
 */
public final class MappedData {

  private static final int SHIFT = 30;
  private static final long WINDOW = Integer.MAX_VALUE & -4096;

  private final ByteBuffer[] windows;

  /** The same, for visitors, which change positions and limits. */
  private final ByteBuffer[] views;

  public MappedData(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      // One for the end of the file too: an empty value may lie there.
      windows = new ByteBuffer[(int) (size >>> SHIFT) + 1];
      views = new ByteBuffer[windows.length];
      // By way of a segment: buffers mapped directly are made by reflection, slow in a new JVM.
      MemorySegment whole = channel.map(MapMode.READ_ONLY, 0, size, Arena.ofAuto());
      for (int i = 0; i < windows.length; i++) {
        long at = (long) i << SHIFT;
        windows[i] =
            whole
                .asSlice(at, Math.min(WINDOW, size - at))
                .asByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN);
        views[i] = windows[i].duplicate().order(ByteOrder.LITTLE_ENDIAN);
      }
    } catch (IOException e) {
      throw FileErrors.failure("map", file, e);
    }
  }

  /** The window with this byte of the file. */
  public ByteBuffer window(long position) {
    return windows[(int) (position >>> SHIFT)];
  }

  /** A view of that window for a visitor. */
  public ByteBuffer view(long position) {
    return views[(int) (position >>> SHIFT)];
  }

  /** Where in its window a byte of the file is. */
  public static int at(long position) {
    return (int) (position & ((1L << SHIFT) - 1));
  }

  /** A length that fits a window, or a failure that says so. */
  public static int length(long valueLength) {
    if (valueLength > 1L << SHIFT) {
      throw new WorkFailedException(
          "a value of %d bytes is larger than a gibibyte, the most that can be read at once"
              .formatted(valueLength));
    }
    return (int) valueLength;
  }
}
