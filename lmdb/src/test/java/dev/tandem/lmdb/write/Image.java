package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes of a data file, read and checked without the code under test: every page from the third
 * to the last is reached exactly once, by a tree or by the free list; records count right; keys are
 * in order and within the bounds that branches set.
 */
final class Image {

  /** A key with one of its values. */
  @SuppressWarnings("ArrayRecordComponent") // compared part by part, never as a whole
  record Entry(byte[] key, byte[] value) {}

  /** Flags and entries of a database, in order. */
  record Content(int flags, List<Entry> entries) {}

  /** One tree while it is being walked. */
  private static final class Tally {
    long branches;
    long leaves;
    long overflow;
    long entries;
    int depth;
  }

  private final ByteBuffer file;
  private final int pageSize;
  private final long lastPage;
  private final long transaction;
  private final long mapSize;
  private final BitSet seen = new BitSet();
  private final Map<String, Content> databases = new LinkedHashMap<>();
  private final List<Long> freeKeys = new ArrayList<>();
  private long freePages;

  private Image(ByteBuffer file) {
    this.file = file;
    int size = file.getInt(PageFormat.META_FREE_DB);
    check(
        file.getInt(16) == PageFormat.MAGIC && file.getInt(size + 16) == PageFormat.MAGIC, "magic");
    int meta =
        file.getLong(PageFormat.META_TXN_ID) < file.getLong(size + PageFormat.META_TXN_ID)
            ? size
            : 0;
    pageSize = file.getInt(meta + PageFormat.META_FREE_DB);
    lastPage = file.getLong(meta + PageFormat.META_LAST_PAGE);
    transaction = file.getLong(meta + PageFormat.META_TXN_ID);
    mapSize = file.getLong(meta + PageFormat.META_MAP_SIZE);
    check(mapSize >= (lastPage + 1) * pageSize, "map size " + mapSize);
    seen.set(0, 2);
    List<Entry> free = walkDatabase(meta + PageFormat.META_FREE_DB, true, "free list");
    for (Entry record : free) {
      ByteBuffer list = ByteBuffer.wrap(record.value).order(ByteOrder.LITTLE_ENDIAN);
      freeKeys.add(ByteBuffer.wrap(record.key).order(ByteOrder.LITTLE_ENDIAN).getLong());
      long count = list.getLong();
      long previous = Long.MAX_VALUE;
      for (long i = 0; i < count; i++) {
        long page = list.getLong();
        check(page < previous, "free list out of order at " + page);
        previous = page;
        use(page, 1);
        freePages++;
      }
    }
    List<Entry> main = walkDatabase(meta + PageFormat.META_MAIN_DB, false, "");
    databases.put(
        "", new Content(file.getShort(meta + PageFormat.META_MAIN_DB + 4) & 0xFFFF, main));
    for (long page = 0; page <= lastPage; page++) {
      check(seen.get((int) page), "page " + page + " is neither used nor free");
    }
  }

  static Image of(byte[] bytes) {
    return new Image(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  long transaction() {
    return transaction;
  }

  long mapSize() {
    return mapSize;
  }

  int pageSize() {
    return pageSize;
  }

  long lastPage() {
    return lastPage;
  }

  long freePages() {
    return freePages;
  }

  /** By name; the main database has none, and does not show its records of others. */
  Map<String, Content> databases() {
    return databases;
  }

  private List<Entry> walkDatabase(int at, boolean free, String name) {
    TreeRecord record = TreeRecord.read(file, at);
    List<Entry> entries = new ArrayList<>();
    Tally tally = new Tally();
    KeyOrder keys = KeyOrder.ofKeys(free ? PageFormat.INTEGER_KEY : record.flags);
    if (!record.isEmpty()) {
      tree(record.root, 1, tally, record, keys, null, null, entries, name.isEmpty() && !free);
    }
    checkRecord(record, tally, "database '" + name + "'");
    return entries;
  }

  private static void checkRecord(TreeRecord record, Tally tally, String what) {
    check(record.branchPages == tally.branches, what + ": branch pages " + record.branchPages);
    check(record.leafPages == tally.leaves, what + ": leaf pages " + record.leafPages);
    check(
        record.overflowPages == tally.overflow,
        what + ": overflow pages " + record.overflowPages + ", found " + tally.overflow);
    check(record.entries == tally.entries, what + ": entries " + record.entries);
    check(record.depth == tally.depth, what + ": depth " + record.depth);
  }

  private void tree(
      long number,
      int level,
      Tally tally,
      TreeRecord record,
      KeyOrder order,
      byte[] from,
      byte[] to,
      List<Entry> into,
      boolean main) {
    use(number, 1);
    int at = Math.toIntExact(number * pageSize);
    check(file.getLong(at) == number, "page " + number + " says it is " + file.getLong(at));
    int flags = PageFormat.flags(file, at);
    int count = PageFormat.keyCount(file, at);
    check(count > 0, "page " + number + " is empty");
    if (flags == PageFormat.BRANCH) {
      tally.branches++;
      check(count > 1, "branch " + number + " has one child");
      byte[][] keys = new byte[count][];
      for (int i = 0; i < count; i++) {
        keys[i] = nodeKey(at, i);
        check(i > 0 || keys[0].length == 0, "first key of branch " + number);
        check(i < 2 || compare(order, keys[i - 1], keys[i]) < 0, "order in branch " + number);
      }
      for (int i = 0; i < count; i++) {
        long child = PageFormat.nodeChild(file, at + PageFormat.nodeOffset(file, at, i));
        byte[] low = i == 0 ? from : keys[i];
        byte[] high = i + 1 == count ? to : keys[i + 1];
        tree(child, level + 1, tally, record, order, low, high, into, main);
      }
      return;
    }
    tally.leaves++;
    check(tally.depth == 0 || tally.depth == level, "leaf " + number + " at another depth");
    tally.depth = level;
    boolean packed = flags == (PageFormat.LEAF | PageFormat.LEAF2);
    check(packed || flags == PageFormat.LEAF, "leaf " + number + " has flags " + flags);
    int total = 0;
    byte[] previous = null;
    for (int i = 0; i < count; i++) {
      byte[] key = packed ? packedKey(at, i) : nodeKey(at, i);
      check(previous == null || compare(order, previous, key) < 0, "order in leaf " + number);
      check(from == null || compare(order, from, key) <= 0, "leaf " + number + " below its branch");
      check(to == null || compare(order, key, to) < 0, "leaf " + number + " above its branch");
      previous = key;
      if (packed) {
        into.add(new Entry(key, new byte[0]));
        tally.entries++;
      } else {
        total += leafNode(at, i, key, tally, record, into, main);
      }
    }
    if (!packed) {
      check(PageFormat.upper(file, at) + total == pageSize, "holes in leaf " + number);
    }
  }

  /** Collects a node and returns its size in the page. */
  private int leafNode(
      int at, int i, byte[] key, Tally tally, TreeRecord record, List<Entry> into, boolean main) {
    int node = at + PageFormat.nodeOffset(file, at, i);
    int flags = PageFormat.nodeFlags(file, node);
    int size = (int) PageFormat.nodeDataSize(file, node);
    int data = node + PageFormat.NODE_HEADER + key.length;
    int stored = size;
    if (flags == PageFormat.BIG_DATA) {
      long first = file.getLong(data);
      int run = Math.toIntExact(first * pageSize);
      check(file.getLong(run) == first, "overflow page " + first + " has another number");
      check(PageFormat.flags(file, run) == PageFormat.OVERFLOW, "overflow flags of " + first);
      long pages = PageFormat.overflowPages(file, run);
      check(pages >= PageFormat.overflowPagesFor(size, pageSize), "run " + first + " too short");
      use(first, pages);
      tally.overflow += pages;
      tally.entries++;
      into.add(new Entry(key, bytes(run + PageFormat.PAGE_HEADER, size)));
      stored = Long.BYTES;
    } else if (flags == 0) {
      tally.entries++;
      into.add(new Entry(key, bytes(data, size)));
    } else if (flags == PageFormat.SUB_DATA) {
      check(main, "a database inside a database");
      tally.entries++;
      String name = new String(key, UTF_8);
      int innerFlags = TreeRecord.read(file, data).flags;
      databases.put(name, new Content(innerFlags, walkDatabase(data, false, name)));
    } else {
      int before = into.size();
      List<Entry> values = new ArrayList<>();
      KeyOrder order = KeyOrder.ofDuplicates(record.flags);
      if (flags == PageFormat.DUP_DATA) {
        subPage(data, size, order, (record.flags & PageFormat.DUP_FIXED) != 0, values);
      } else {
        check(flags == (PageFormat.DUP_DATA | PageFormat.SUB_DATA), "node flags " + flags);
        TreeRecord inner = TreeRecord.read(file, data);
        Tally innerTally = new Tally();
        tree(inner.root, 1, innerTally, inner, order, null, null, values, false);
        checkRecord(inner, innerTally, "duplicates");
      }
      for (Entry value : values) {
        into.add(new Entry(key, value.key));
      }
      tally.entries += into.size() - before;
    }
    return NodePage.even(PageFormat.NODE_HEADER + key.length + stored);
  }

  private void subPage(int at, int size, KeyOrder order, boolean packed, List<Entry> into) {
    int flags = PageFormat.flags(file, at);
    int wanted = PageFormat.LEAF | PageFormat.DIRTY | PageFormat.SUB_PAGE;
    check(flags == (packed ? wanted | PageFormat.LEAF2 : wanted), "sub-page flags " + flags);
    int count = PageFormat.keyCount(file, at);
    check(count > 0, "empty sub-page");
    int total = 0;
    byte[] previous = null;
    for (int i = 0; i < count; i++) {
      byte[] value = packed ? packedKey(at, i) : nodeKey(at, i);
      check(previous == null || compare(order, previous, value) < 0, "order in sub-page");
      previous = value;
      into.add(new Entry(value, new byte[0]));
      total += packed ? value.length : NodePage.even(PageFormat.NODE_HEADER + value.length);
    }
    if (packed) {
      check(PageFormat.PAGE_HEADER + total <= size, "sub-page too full");
    } else {
      check(PageFormat.upper(file, at) + total == size, "holes in sub-page");
    }
  }

  private byte[] nodeKey(int at, int i) {
    int node = at + PageFormat.nodeOffset(file, at, i);
    return bytes(node + PageFormat.NODE_HEADER, PageFormat.nodeKeySize(file, node));
  }

  private byte[] packedKey(int at, int i) {
    int size = PageFormat.pad(file, at);
    return bytes(at + PageFormat.PAGE_HEADER + i * size, size);
  }

  private byte[] bytes(int at, int size) {
    byte[] bytes = new byte[size];
    file.get(at, bytes);
    return bytes;
  }

  private void use(long first, long count) {
    for (long page = first; page < first + count; page++) {
      check(page >= 2 && page <= lastPage, "page " + page + " is outside the file");
      check(!seen.get((int) page), "page " + page + " is used twice");
      seen.set((int) page);
    }
  }

  static int compare(KeyOrder order, byte[] a, byte[] b) {
    return order.compare(
        a, a.length, ByteBuffer.wrap(b).order(ByteOrder.LITTLE_ENDIAN), 0, b.length);
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new AssertionError("damaged image: " + what);
    }
  }
}
