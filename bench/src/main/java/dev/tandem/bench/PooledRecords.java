package dev.tandem.bench;

import dev.tandem.data.importing.RecordSink;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * CIFAR-like records whose pixels come from a pool that is made beforehand, so that making them
 * costs a copy. {@code lmdb_write.c} makes the same.
 */
final class PooledRecords {

  private static final int PIXELS = 3072;
  private static final int POOL = 16 << 20;

  /** Spreads the records over the pool. */
  private static final long STEP = 324_024;

  /** A Datum up to its pixels: channels 3, height 32, width 32, 3072 bytes of data. */
  private static final byte[] HEAD = {0x08, 3, 0x10, 32, 0x18, 32, 0x22, (byte) 0x80, 0x18};

  private final byte[] pool = new byte[POOL];

  PooledRecords() {
    ByteBuffer longs = ByteBuffer.wrap(pool).order(ByteOrder.LITTLE_ENDIAN);
    long state = 1;
    while (longs.hasRemaining()) {
      state += 0x9E3779B97F4A7C15L;
      long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      longs.putLong(z ^ (z >>> 31));
    }
  }

  /** Bytes of one value. */
  static int valueSize() {
    return HEAD.length + PIXELS + 2;
  }

  void writeTo(RecordSink sink, long records, int keyDigits) {
    byte[] value = new byte[valueSize()];
    System.arraycopy(HEAD, 0, value, 0, HEAD.length);
    value[value.length - 2] = 0x28;
    MemorySegment valueBytes = MemorySegment.ofArray(value);
    for (long i = 0; i < records; i++) {
      int from = (int) (i * STEP % (POOL - PIXELS));
      System.arraycopy(pool, from, value, HEAD.length, PIXELS);
      value[value.length - 1] = (byte) (i % 10);
      sink.put(MemorySegment.ofArray(key(i, keyDigits)), valueBytes);
    }
  }

  /** As C's printf writes a number with leading zeros. */
  private static byte[] key(long number, int keyDigits) {
    String digits = Long.toString(number);
    return ("0".repeat(Math.max(0, keyDigits - digits.length())) + digits)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
