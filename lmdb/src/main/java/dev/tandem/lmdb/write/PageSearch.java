package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/** Binary search in one page. */
final class PageSearch {

  private PageSearch() {}

  /** Index of a key in a page from {@code from} on, or {@code ~index} of the first greater one. */
  static int find(NodePage page, KeyOrder order, byte[] key, int length, int from) {
    ByteBuffer bytes = page.bytes;
    boolean packed = page.isPacked();
    int fixed = packed ? page.packedSize() : 0;
    int low = from;
    int high = page.count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int at;
      int size;
      if (packed) {
        at = PageFormat.PAGE_HEADER + middle * fixed;
        size = fixed;
      } else {
        int node = PageFormat.nodeOffset(bytes, 0, middle);
        at = node + PageFormat.NODE_HEADER;
        size = PageFormat.nodeKeySize(bytes, node);
      }
      int comparison = order.compare(key, length, bytes, at, size);
      if (comparison == 0) {
        return middle;
      }
      if (comparison > 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return ~low;
  }
}
