package dev.tandem.checkpoint;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.tandem.core.WorkFailedException;
import java.nio.ByteBuffer;

/** How the bytes of a piece are stored. */
public enum Compression {
  /** As they are. */
  NONE,
  /** As a sequence of zstd frames, each of {@link #FRAME} bytes of the piece, the last of less. */
  ZSTD;

  /** So much of a piece is compressed at once. */
  static final int FRAME = 4 << 20;

  /** Weights hardly compress; what does not within this little time will not in more. */
  private static final int LEVEL = 1;

  /** The most that a frame takes. */
  static int largestFrame() {
    return Math.toIntExact(Zstd.compressBound(FRAME));
  }

  /** Appends a frame; both buffers are direct. */
  static void compress(ByteBuffer from, ByteBuffer to) {
    try {
      Zstd.compress(to, from, LEVEL);
    } catch (ZstdException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Takes frames off {@code from} until {@code to} is full; both buffers are direct.
   *
   * @param name of the file, for errors
   */
  static void decompress(ByteBuffer from, ByteBuffer to, String name) {
    try {
      while (to.hasRemaining()) {
        long frame = Zstd.findFrameCompressedSize(from.duplicate());
        if (frame <= 0 || frame > from.remaining()) {
          throw new WorkFailedException(name + " is damaged: a compressed piece ends too early");
        }
        ByteBuffer one = from.slice(from.position(), Math.toIntExact(frame));
        long content = Zstd.getDirectByteBufferFrameContentSize(one, 0, one.remaining());
        if (content <= 0 || content > to.remaining()) {
          throw new WorkFailedException(name + " is damaged: a compressed piece is too long");
        }
        ByteBuffer part = to.slice(to.position(), Math.toIntExact(content));
        Zstd.decompress(part, one);
        to.position(to.position() + Math.toIntExact(content));
        from.position(from.position() + Math.toIntExact(frame));
      }
    } catch (ZstdException e) {
      throw new WorkFailedException(name + " is damaged: a piece does not decompress", e);
    }
  }
}
