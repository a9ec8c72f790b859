package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/**
 * The columns of a record index file, in {@link Varints}: the bytes of each column, the usual bytes
 * of a node before its value, then for each run its count, its length (as a difference to the run
 * before), its beginning (as a difference to {@link #expected}) and, if it has more than one
 * record, its stride (as a difference); for each leaf its page (as a difference), and its count of
 * records, run-length coded.
 */
final class IndexColumns {

  private static final int COLUMNS = 6;

  private IndexColumns() {}

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

  static final class Encoder implements Runs.Sink {

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

    /** Number of runs taken. */
    long runs() {
      return runs;
    }

    /** All columns. */
    byte[] finish() {
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

  static final class Decoder {

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
