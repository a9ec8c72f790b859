package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Damages the bytes of a database in all the ways that a reader must survive. */
final class Mutation {

  private static final int PAGE = 4096;

  private final SplittableRandom random;
  private ByteBuffer bytes;
  private final StringBuilder done = new StringBuilder();

  private Mutation(byte[] bytes, SplittableRandom random) {
    this.random = random;
    this.bytes = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
  }

  record Result(ByteBuffer bytes, String what) {}

  /** One to three kinds of damage, and what they were. */
  static Result of(byte[] good, SplittableRandom random) {
    Mutation mutation = new Mutation(good, random);
    int count = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1;
    for (int i = 0; i < count; i++) {
      mutation.damage();
    }
    return new Result(mutation.bytes, mutation.done.toString());
  }

  private int pages() {
    return bytes.limit() / PAGE;
  }

  private void damage() {
    if (bytes.limit() < 2 * PAGE) {
      return;
    }
    switch (random.nextInt(11)) {
      case 0 -> truncate();
      case 1 -> flip(random.nextInt(bytes.limit()), "anywhere");
      case 2 -> flip(anyPage() * PAGE + random.nextInt(16), "page header");
      case 3 -> flip(anyPage() * PAGE + 16 + random.nextInt(64), "node table");
      case 4 -> nodeHeader();
      case 5 -> child();
      case 6 -> flip(random.nextInt(2) * PAGE + 16 + random.nextInt(136), "meta");
      case 7 -> metaNumber();
      case 8 -> copyPage();
      case 9 -> fillPage();
      default -> databaseRecord();
    }
  }

  private int anyPage() {
    return random.nextInt(pages());
  }

  private void note(String what, long at) {
    done.append(what).append(" at ").append(at).append("; ");
  }

  private void flip(int at, String where) {
    bytes.put(at, (byte) (bytes.get(at) ^ (1 << random.nextInt(8))));
    note("bit in " + where, at);
  }

  private void truncate() {
    int size = random.nextInt(bytes.limit());
    bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), size)).order(ByteOrder.LITTLE_ENDIAN);
    note("cut", size);
  }

  /** Position of some node of some branch or leaf page, or -1. */
  private int someNode(int kind) {
    for (int attempt = 0; attempt < 50; attempt++) {
      int at = anyPage() * PAGE;
      int count = PageFormat.keyCount(bytes, at);
      if ((PageFormat.flags(bytes, at) & 0x2F) == kind && count > 0 && count < PAGE / 2) {
        int node = PageFormat.nodeOffset(bytes, at, random.nextInt(count));
        if (node <= PAGE - 16) {
          return at + node;
        }
      }
    }
    return -1;
  }

  private void nodeHeader() {
    int node = someNode(random.nextInt(3) == 0 ? PageFormat.BRANCH : PageFormat.LEAF);
    if (node >= 0) {
      if (random.nextBoolean()) {
        flip(node + random.nextInt(8), "node header");
      } else {
        bytes.putShort(node + 2 * random.nextInt(4), (short) random.nextInt());
        note("node header", node);
      }
    }
  }

  /** Another child: an ancestor, itself, a meta page, a page behind the end, any page. */
  private void child() {
    int node = someNode(PageFormat.BRANCH);
    if (node >= 0) {
      int self = node / PAGE;
      int[] choices = {self, 0, 1, anyPage(), anyPage(), pages(), pages() + 7, -1};
      bytes.putInt(node, choices[random.nextInt(choices.length)]);
      if (random.nextInt(4) == 0) {
        bytes.putShort(node + 4, (short) random.nextInt());
      }
      note("child", node);
    }
  }

  private static final int[] META_NUMBERS = {
    PageFormat.META_MAP_SIZE,
    PageFormat.META_FREE_DB,
    PageFormat.META_FREE_DB + PageFormat.DB_FLAGS,
    PageFormat.META_FREE_DB + PageFormat.DB_ROOT,
    PageFormat.META_MAIN_DB,
    PageFormat.META_MAIN_DB + PageFormat.DB_FLAGS,
    PageFormat.META_MAIN_DB + PageFormat.DB_ENTRIES,
    PageFormat.META_MAIN_DB + PageFormat.DB_ROOT,
    PageFormat.META_LAST_PAGE,
    PageFormat.META_TXN_ID
  };

  private void metaNumber() {
    int at = random.nextInt(2) * PAGE + META_NUMBERS[random.nextInt(META_NUMBERS.length)];
    bytes.putLong(at, odd());
    note("meta number", at);
  }

  private long odd() {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> random.nextLong();
      case 3 -> Long.MAX_VALUE;
      case 4 -> 1L << random.nextInt(63);
      default -> random.nextInt(2 * pages());
    };
  }

  private void copyPage() {
    int from = anyPage() * PAGE;
    int to = anyPage() * PAGE;
    System.arraycopy(bytes.array(), from, bytes.array(), to, PAGE);
    if (random.nextBoolean()) {
      bytes.putLong(to, to / PAGE);
    }
    note("page " + from / PAGE + " copied", to);
  }

  private void fillPage() {
    int at = anyPage() * PAGE;
    byte[] noise = new byte[PAGE];
    if (random.nextBoolean()) {
      random.nextBytes(noise);
    }
    System.arraycopy(noise, 0, bytes.array(), at, PAGE);
    note("page filled", at);
  }

  /** The description of a named database or of duplicates, which is 48 bytes of data. */
  private void databaseRecord() {
    for (int attempt = 0; attempt < 50; attempt++) {
      int node = someNode(PageFormat.LEAF);
      if (node >= 0 && (PageFormat.nodeFlags(bytes, node) & PageFormat.SUB_DATA) != 0) {
        int record = node + PageFormat.NODE_HEADER + PageFormat.nodeKeySize(bytes, node);
        if (record + PageFormat.DATABASE_RECORD <= bytes.limit()) {
          int at = record + Math.min(40, random.nextInt(48) & -4);
          bytes.putLong(at, odd());
          note("database record", at);
          return;
        }
      }
    }
  }
}
