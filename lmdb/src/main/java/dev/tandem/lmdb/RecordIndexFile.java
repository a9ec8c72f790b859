package dev.tandem.lmdb;

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
 *  0  u32 magic "TDX1"          4  u32 version 1          8  u32 flags (1: checksums)
 * 12  u32 page size            16  u64 transaction       24  u64 last page
 * 32  u64 root page            40  u64 records           48  u64 runs
 * 56  u32 leaves               60  u32 bytes of name     64  u32 bytes of columns, deflated
 * 68  u32 the same, inflated   72  name, columns, checksums (u32 a record), u32 CRC-32C of all
 * </pre>
 *
 * <p>The columns are {@link Varints}: the bytes of each column, the usual bytes of a node before
 * its value, then for each run its count, its length (as a difference to the run before), its
 * beginning (as a difference to {@link #expected}) and, if it has more than one record, its stride
 * (as a difference); for each leaf its page (as a difference), and its count of records, run-length
 * coded.
 */
final class RecordIndexFile {

  private static final int MAGIC = 0x31584454;
  private static final int VERSION = 1;
  private static final int CHECKSUMS = 1;
  private static final int HEADER = 72;
  private static final int COLUMNS = 6;

  private RecordIndexFile() {}

  /** The whole file of an index. */
  static ByteBuffer encode(RecordIndex index) {
    Encoder encoder = new Encoder(index.binding().pageSize(), index.locations());
    index.locations().forEachRun(encoder);
    encoder.leaves(index.leaves(), index.size());
    byte[] columns = encoder.columns();
    byte[] deflated = deflate(columns);
    byte[] name = index.binding().database().getBytes(StandardCharsets.UTF_8);
    int[] checksums = index.checksums();
    int checksumBytes = Math.multiplyExact(Integer.BYTES, checksums == null ? 0 : checksums.length);
    ByteBuffer out =
        ByteBuffer.allocate(
                Math.addExact(HEADER + name.length + deflated.length + 4, checksumBytes))
            .order(ByteOrder.LITTLE_ENDIAN);
    IndexBinding binding = index.binding();
    out.putInt(MAGIC).putInt(VERSION).putInt(checksums == null ? 0 : CHECKSUMS);
    out.putInt(binding.pageSize()).putLong(binding.transaction()).putLong(binding.lastPage());
    out.putLong(binding.root()).putLong(index.size()).putLong(encoder.runs);
    out.putInt(index.leaves().size()).putInt(name.length);
    out.putInt(deflated.length).putInt(columns.length);
    out.put(name).put(deflated);
    if (checksums != null) {
      for (int checksum : checksums) {
        out.putInt(checksum);
      }
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
    Decoder decoder = new Decoder(columns, binding.pageSize());
    return new RecordIndex(
        binding, decoder.leaves(leaves), decoder.locations(records, runs), checksums);
  }

  /**
   * Where a value should begin if it was written right after the one before: on the next overflow
   * page, or before it in its leaf, since leaves fill from their end.
   *
   * @param head bytes of a node before its value
   */
  private static long expected(
      long previousOffset, long previousLength, long length, int pageSize, int head) {
    return (previousOffset & (pageSize - 1)) == PageFormat.PAGE_HEADER
        ? previousOffset + PageFormat.overflowPagesFor(previousLength, pageSize) * pageSize
        : previousOffset - ((head + length + 1) & -2);
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

  private static final class Encoder implements Runs.Sink {

    private final int pageSize;
    private final int head;
    private final Varints counts = new Varints();
    private final Varints lengths = new Varints();
    private final Varints starts = new Varints();
    private final Varints strides = new Varints();
    private final Varints leafPages = new Varints();
    private final Varints leafCounts = new Varints();
    private long runs;
    private long lastOffset;
    private long lastLength;
    private long lastStride;

    Encoder(int pageSize, Locations locations) {
      this.pageSize = pageSize;
      this.head = usualHead(pageSize, locations);
    }

    /** Bytes before a value in its node, guessed from the first two values within a leaf. */
    private static int usualHead(int pageSize, Locations locations) {
      for (long i = 1; i < Math.min(1000, locations.size()); i++) {
        long distance = locations.offset(i - 1) - locations.offset(i);
        long head = distance - locations.length(i);
        if (head >= PageFormat.NODE_HEADER && head < pageSize && distance < pageSize) {
          return (int) head;
        }
      }
      return PageFormat.NODE_HEADER;
    }

    @Override
    public void run(long offset, long stride, long length, long count) {
      runs++;
      counts.add(count);
      lengths.addSigned(length - lastLength);
      starts.addSigned(offset - expected(lastOffset, lastLength, length, pageSize, head));
      if (count > 1) {
        strides.addSigned(stride - lastStride);
        lastStride = stride;
      }
      lastOffset = offset + stride * (count - 1);
      lastLength = length;
    }

    void leaves(LeafTable table, long records) {
      long lastPage = 0;
      long repeated = -1;
      long times = 0;
      for (int i = 0; i < table.size(); i++) {
        leafPages.addSigned(table.page(i) - lastPage);
        lastPage = table.page(i);
        long end = i + 1 < table.size() ? table.first(i + 1) : records;
        long count = end - table.first(i);
        if (count != repeated && times > 0) {
          leafCounts.add(repeated);
          leafCounts.add(times);
          times = 0;
        }
        repeated = count;
        times++;
      }
      if (times > 0) {
        leafCounts.add(repeated);
        leafCounts.add(times);
      }
    }

    byte[] columns() {
      Varints[] all = {counts, lengths, starts, strides, leafPages, leafCounts};
      Varints sizes = new Varints();
      int total = 0;
      for (Varints column : all) {
        sizes.add(column.size());
        total += column.size();
      }
      sizes.add(head);
      ByteBuffer out = ByteBuffer.allocate(sizes.size() + total);
      out.put(sizes.bytes(), 0, sizes.size());
      for (Varints column : all) {
        out.put(column.bytes(), 0, column.size());
      }
      return out.array();
    }
  }

  private static final class Decoder {

    private final int pageSize;
    private final int head;
    private final Varints[] columns = new Varints[COLUMNS];

    Decoder(byte[] bytes, int pageSize) {
      this.pageSize = pageSize;
      Varints sizes = new Varints(bytes, 0, bytes.length);
      int[] size = new int[COLUMNS];
      for (int i = 0; i < COLUMNS; i++) {
        size[i] = (int) sizes.next();
      }
      head = (int) sizes.next();
      int at = sizes.position();
      for (int i = 0; i < COLUMNS; i++) {
        columns[i] = new Varints(bytes, at, at + size[i]);
        at += size[i];
      }
    }

    LeafTable leaves(int leaves) {
      long[] pages = new long[leaves];
      long[] counts = new long[leaves];
      long page = 0;
      long repeated = 0;
      long times = 0;
      for (int i = 0; i < leaves; i++) {
        page += columns[4].nextSigned();
        pages[i] = page;
        if (times == 0) {
          repeated = columns[5].next();
          times = columns[5].next();
        }
        counts[i] = repeated;
        times--;
      }
      return LeafTable.ofCounts(pages, counts);
    }

    Locations locations(long records, long runs) {
      Locations locations = Locations.of(records, runs);
      long offset = 0;
      long length = 0;
      long stride = 0;
      long seen = 0;
      for (long i = 0; i < runs; i++) {
        long count = columns[0].next();
        long newLength = length + columns[1].nextSigned();
        offset = columns[2].nextSigned() + expected(offset, length, newLength, pageSize, head);
        length = newLength;
        if (count > 1) {
          stride += columns[3].nextSigned();
        }
        seen += count;
        if (seen > records) {
          break;
        }
        locations.run(offset, count > 1 ? stride : 0, length, count);
        offset += count > 1 ? stride * (count - 1) : 0;
      }
      if (seen != records) {
        throw new IllegalArgumentException("its runs do not make " + records + " records");
      }
      return locations;
    }
  }
}
