package dev.tandem.lmdb.index;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;

/**
 * The bytes of a record index file, little-endian:
 *
 * <pre>
 *  0  u32 magic "TDX1"          4  u32 version 2          8  u32 flags (1: checksums, 2: keys)
 * 12  u32 page size            16  u64 transaction       24  u64 last page
 * 32  u64 root page            40  u64 records           48  u64 runs
 * 56  u32 leaves               60  u32 bytes of name     64  u32 bytes of columns, deflated
 * 68  u32 the same, inflated   72  name, columns, checksums (u32 a record),
 *                                  keys (u32 digits, u64 number of the first), u32 CRC-32C of all
 * </pre>
 *
 * <p>{@link IndexColumns} knows the columns. Keys are there if they count ({@link NumberedKeys});
 * in version 1 they were not.
 */
final class RecordIndexFile {

  private static final int MAGIC = 0x31584454;
  private static final int VERSION = 2;
  private static final int CHECKSUMS = 1;
  private static final int KEYS = 2;
  private static final int KEYS_BYTES = Integer.BYTES + Long.BYTES;
  private static final int HEADER = 72;

  private RecordIndexFile() {}

  /** The whole file of an index. */
  static ByteBuffer encode(RecordIndex index) {
    IndexColumns.Encoder encoder =
        new IndexColumns.Encoder(index.binding().pageSize(), index.locations());
    index.locations().forEachRun(encoder);
    encoder.leaves(index.leaves(), index.size());
    byte[] columns = encoder.finish();
    byte[] deflated = deflate(columns);
    byte[] name = index.binding().database().getBytes(StandardCharsets.UTF_8);
    int[] checksums = index.checksums();
    NumberedKeys keys = index.keys();
    int checksumBytes = Math.multiplyExact(Integer.BYTES, checksums == null ? 0 : checksums.length);
    int keysBytes = keys == null ? 0 : KEYS_BYTES;
    ByteBuffer out =
        ByteBuffer.allocate(
                Math.addExact(
                    HEADER + name.length + deflated.length + keysBytes + 4, checksumBytes))
            .order(ByteOrder.LITTLE_ENDIAN);
    IndexBinding binding = index.binding();
    int flags = (checksums == null ? 0 : CHECKSUMS) | (keys == null ? 0 : KEYS);
    out.putInt(MAGIC).putInt(VERSION).putInt(flags);
    out.putInt(binding.pageSize()).putLong(binding.transaction()).putLong(binding.lastPage());
    out.putLong(binding.root()).putLong(index.size()).putLong(encoder.runs());
    out.putInt(index.leaves().size()).putInt(name.length);
    out.putInt(deflated.length).putInt(columns.length);
    out.put(name).put(deflated);
    if (checksums != null) {
      for (int checksum : checksums) {
        out.putInt(checksum);
      }
    }
    if (keys != null) {
      out.putInt(keys.width()).putLong(keys.first());
    }
    out.putInt(checksum(out.duplicate().flip()));
    return out.flip();
  }

  /**
   * Reads the whole file of an index.
   *
   * @throws IllegalArgumentException if it is damaged or of another version; the message says which
   */
  static RecordIndex decode(ByteBuffer file) {
    ByteBuffer in = file.slice().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() < HEADER + 4 || in.getInt(0) != MAGIC) {
      throw new IllegalArgumentException("it is no record index");
    }
    if (in.getInt(4) != VERSION) {
      throw new IllegalArgumentException("its version is " + in.getInt(4) + ", not " + VERSION);
    }
    int end = in.remaining() - 4;
    if (checksum(in.duplicate().limit(end)) != in.getInt(end)) {
      throw new IllegalArgumentException("its checksum is wrong");
    }
    long records = in.getLong(40);
    long runs = in.getLong(48);
    int leaves = in.getInt(56);
    byte[] name = bytes(in, HEADER, in.getInt(60));
    int deflated = in.getInt(64);
    byte[] columns = inflate(bytes(in, HEADER + name.length, deflated), in.getInt(68));
    IndexBinding binding =
        new IndexBinding(
            new String(name, StandardCharsets.UTF_8),
            in.getInt(12),
            in.getLong(16),
            in.getLong(24),
            in.getLong(32),
            records);
    int[] checksums = null;
    if ((in.getInt(8) & CHECKSUMS) != 0) {
      checksums = new int[Math.toIntExact(records)];
      in.position(HEADER + name.length + deflated);
      in.slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(checksums);
    }
    NumberedKeys keys = null;
    if ((in.getInt(8) & KEYS) != 0) {
      int at = end - KEYS_BYTES;
      keys = new NumberedKeys(in.getInt(at), in.getLong(at + Integer.BYTES));
    }
    IndexColumns.Decoder decoder = new IndexColumns.Decoder(columns, binding.pageSize());
    return new RecordIndex(
        binding, decoder.leaves(leaves), decoder.locations(records, runs), checksums, keys);
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private static byte[] bytes(ByteBuffer in, int at, int length) {
    byte[] bytes = new byte[length];
    in.get(at, bytes);
    return bytes;
  }

  private static byte[] deflate(byte[] bytes) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DeflaterOutputStream stream = new DeflaterOutputStream(out, deflater)) {
      stream.write(bytes);
    } catch (java.io.IOException e) {
      throw new AssertionError("memory does not fail", e);
    } finally {
      deflater.end();
    }
    return out.toByteArray();
  }

  private static byte[] inflate(byte[] deflated, int length) {
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(deflated);
      byte[] bytes = new byte[length];
      if (inflater.inflate(bytes) != length) {
        throw new IllegalArgumentException("its columns are too short");
      }
      return bytes;
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("its columns cannot be inflated", e);
    } finally {
      inflater.end();
    }
  }
}
