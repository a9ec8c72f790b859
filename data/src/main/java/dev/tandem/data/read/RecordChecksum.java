package dev.tandem.data.read;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A checksum over any number of records (key, value) that does not depend on their order: the sum
 * of a 64-bit hash a record, modulo 2^64. All contenders of a reading benchmark compute it, so that
 * every byte is really looked at, and all must agree.
 *
 * <p>The hash of a record with a key of any length and a value of {@code n} bytes, all arithmetic
 * on unsigned 64-bit integers, modulo 2^64:
 *
 * <pre>{@code
 * p = (n / 3) rounded down to a multiple of 8
 * k = crc32c(key)
 * a = crc32c(value[0 .. p-1])
 * b = crc32c(value[p .. 2p-1])
 * c = crc32c(value[2p .. n-1])
 * h = (k * 2^32 + a) * 0x9E3779B97F4A7C15 + (b * 2^32 + c) + n
 * h = (h XOR (h >> 32)) * 0xBF58476D1CE4E5B9
 * hash = h XOR (h >> 29)
 * }</pre>
 *
 * <p>{@code crc32c} is the usual CRC-32C (Castagnoli; of no bytes 0, of the nine ASCII bytes
 * "123456789" 0xE3069283). The value is cut in three so that a loop in C can run three chains of
 * the processor's CRC instruction side by side ({@code _mm_crc32_u64}, 24 bytes in 3 cycles); begin
 * each chain with 0xFFFFFFFF and invert its end. In the JVM CRC-32C is an intrinsic that is fast
 * from the first call on, also in a process that has just started.
 *
 * <p>Check value: the records ("a", ""), ("bc", "123456789") and ("def", the 1000 bytes i modulo
 * 251 for i = 0 .. 999) sum to {@code 0x5BDC63952C43000B}.
 *
 * <p>For one thread; sums of several are added with {@link #addSum}.
 */
public final class RecordChecksum {

  private static final long FIRST_MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long SECOND_MULTIPLIER = 0xBF58476D1CE4E5B9L;

  /** Segments longer than this do not fit a buffer and are taken piece by piece. */
  private static final long PIECE = 1L << 30;

  private final CRC32C crc = new CRC32C();
  private long sum;

  /**
   * Adds a record whose key and value lie in buffers, which may be the same one. Positions and
   * limits of the buffers are changed: they are the calling thread's own views.
   */
  public void add(
      ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int valueLength) {
    long key = crc(keys.limit(keyAt + keyLength).position(keyAt));
    int part = valueLength / 3 & -8;
    // Each part begins where the one before it has left the position.
    long first = crc(values.limit(valueAt + part).position(valueAt));
    long second = crc(values.limit(valueAt + 2 * part));
    long third = crc(values.limit(valueAt + valueLength));
    sum += mix(key, first, second, third, valueLength);
  }

  /** Adds a record of any length. */
  public void add(MemorySegment key, MemorySegment value) {
    long length = value.byteSize();
    long part = length / 3 & -8L;
    sum +=
        mix(
            crc(key),
            crc(value.asSlice(0, part)),
            crc(value.asSlice(part, part)),
            crc(value.asSlice(2 * part)),
            length);
  }

  /** Adds the records that another checksum has seen. */
  public void addSum(long other) {
    sum += other;
  }

  /** The checksum of all records added so far. */
  public long sum() {
    return sum;
  }

  private static long mix(long key, long first, long second, long third, long length) {
    long hash = (key << 32 | first) * FIRST_MULTIPLIER + (second << 32 | third) + length;
    hash = (hash ^ hash >>> 32) * SECOND_MULTIPLIER;
    return hash ^ hash >>> 29;
  }

  private long crc(ByteBuffer bytes) {
    crc.reset();
    crc.update(bytes);
    return crc.getValue();
  }

  private long crc(MemorySegment bytes) {
    crc.reset();
    for (long at = 0; at < bytes.byteSize(); at += PIECE) {
      crc.update(bytes.asSlice(at, Math.min(PIECE, bytes.byteSize() - at)).asByteBuffer());
    }
    return crc.getValue();
  }
}
