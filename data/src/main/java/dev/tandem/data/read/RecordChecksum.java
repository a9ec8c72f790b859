package dev.tandem.data.read;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * A checksum over any number of records (key, value) that does not depend on their order: the sum
 * of a 64-bit hash a record, modulo 2^64. All contenders of a reading benchmark compute it, so that
 * every byte is really looked at, and all must agree.
 *
 * <p>The hash of a record with a key of any length and a value of {@code n} bytes, all arithmetic
 * on unsigned 64-bit integers, modulo 2^64:
 *
 * <pre>{@code
 * h = (crc32(key) * 2^32 + crc32(value)) * 0x9E3779B97F4A7C15 + n
 * h = (h XOR (h >> 32)) * 0xBF58476D1CE4E5B9
 * hash = h XOR (h >> 29)
 * }</pre>
 *
 * <p>{@code crc32} is the usual CRC-32 (of no bytes 0, of the nine ASCII bytes "123456789"
 * 0xCBF43926). In the JVM it is an intrinsic that is fast from the first call on, also in a process
 * that has just started. In C the same instructions are as fast, limited by memory and not by
 * arithmetic on either side, so that a benchmark compares how records are read.
 *
 * <p>Check value: the records ("a", ""), ("bc", "123456789") and ("def", the 1000 bytes i modulo
 * 251 for i = 0 .. 999) sum to {@code 0x3C84012AD07E839F}.
 *
 * <p>For one thread; sums of several are added with {@link #addSum}.
 */
public final class RecordChecksum {

  private static final long FIRST_MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long SECOND_MULTIPLIER = 0xBF58476D1CE4E5B9L;

  /** Segments longer than this do not fit a buffer and are taken piece by piece. */
  private static final long PIECE = 1L << 30;

  private final CRC32 crc = new CRC32();
  private long sum;

  /**
   * Adds a record whose key and value lie in buffers, which may be the same one. Positions and
   * limits of the buffers are changed: they are the calling thread's own views.
   */
  public void add(
      ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int valueLength) {
    long key = crc(keys.limit(keyAt + keyLength).position(keyAt));
    long value = crc(values.limit(valueAt + valueLength).position(valueAt));
    sum += hash(key, value, valueLength);
  }

  /** Adds a record of any length. */
  public void add(MemorySegment key, MemorySegment value) {
    sum += hash(crc(key), crc(value), value.byteSize());
  }

  /** Adds the records that another checksum has seen. */
  public void addSum(long other) {
    sum += other;
  }

  /** The checksum of all records added so far. */
  public long sum() {
    return sum;
  }

  private static long hash(long key, long value, long length) {
    long hash = (key << 32 | value) * FIRST_MULTIPLIER + length;
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
