package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;

/**
 * Reads the records of a leaf without duplicates straight from the array of its buffer. An index is
 * mostly built once, by a JVM that has just started: plain array code runs several times faster
 * there than the same checks through {@link PageView}, which remains the judge of all that is
 * unusual. For one thread.
 */
final class PlainLeaf {

  private final int pageSize;
  private final long pagesInFile;

  PlainLeaf(Pages pages) {
    this.pageSize = pages.pageSize();
    this.pagesInFile = pages.pagesInFile();
  }

  /**
   * Adds all records of a leaf.
   *
   * @return false, after some of them, if anything is unusual or wrong: duplicates, or an offset
   *     that leads out of the page or the file
   */
  boolean read(PageView leaf, Runs runs) {
    byte[] b = leaf.buffer().array();
    int at = leaf.at();
    int lowest = PageFormat.PAGE_HEADER + 2 * leaf.count();
    long offset = 0;
    long length = 0;
    long stride = 0;
    int run = 0;
    for (int slot = at + PageFormat.PAGE_HEADER; slot < at + lowest; slot += 2) {
      int node = (b[slot] & 0xFF) | (b[slot + 1] & 0xFF) << 8;
      if (node < lowest || node > pageSize - PageFormat.NODE_HEADER) {
        return false;
      }
      int n = at + node;
      int data = node + PageFormat.NODE_HEADER + ((b[n + 6] & 0xFF) | (b[n + 7] & 0xFF) << 8);
      long size =
          ((b[n] & 0xFF) | (b[n + 1] & 0xFF) << 8 | (b[n + 2] & 0xFF) << 16)
              | (b[n + 3] & 0xFFL) << 24;
      long position;
      if ((b[n + 4] & PageFormat.DUP_DATA) != 0) {
        return false;
      } else if ((b[n + 4] & PageFormat.BIG_DATA) != 0) {
        if (data > pageSize - Long.BYTES) {
          return false;
        }
        long page = number(b, at + data);
        if (page < PageFormat.META_PAGES
            || page >= pagesInFile
            || size > (pagesInFile - page) * pageSize - PageFormat.PAGE_HEADER) {
          return false;
        }
        position = page * pageSize + PageFormat.PAGE_HEADER;
      } else {
        if (size > pageSize - data) {
          return false;
        }
        position = leaf.start() + data;
      }
      if (run > 1 && size == length && position == offset + stride * run) {
        run++;
      } else if (run == 1 && size == length) {
        stride = position - offset;
        run = 2;
      } else {
        if (run > 0) {
          runs.add(offset, stride, length, run);
        }
        offset = position;
        length = size;
        stride = 0;
        run = 1;
      }
    }
    runs.add(offset, stride, length, run);
    return true;
  }

  private static long number(byte[] b, int at) {
    long low =
        (b[at] & 0xFF)
            | (b[at + 1] & 0xFF) << 8
            | (b[at + 2] & 0xFF) << 16
            | (b[at + 3] & 0xFFL) << 24;
    long high =
        (b[at + 4] & 0xFF)
            | (b[at + 5] & 0xFF) << 8
            | (b[at + 6] & 0xFF) << 16
            | (b[at + 7] & 0xFFL) << 24;
    return low | high << 32;
  }
}
