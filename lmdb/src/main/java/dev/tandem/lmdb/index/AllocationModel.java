package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which page numbers liblmdb 0.9 hands out, by its rules alone: no page is read or written. It
 * holds for a writer that no reader disturbs, and for a free list that fits into one page; beyond
 * that it gives up with a reason.
 */
final class AllocationModel {

  /** The layout leaves what the model knows; the message says where. */
  static final class UnknownLayoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownLayoutException(String reason) {
      super(reason);
    }
  }

  /** The free list needs more than one page, which the model does not cover. */
  static final class LongFreeListException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final int pageSize;
  private long next = PageFormat.META_PAGES;
  private long transaction = 1;

  /** The free list as it was committed: pages by the transaction that freed them. */
  private final TreeMap<Long, List<Long>> freeRecords = new TreeMap<>();

  /** Bytes of values in the free list's only leaf. */
  private final TreeMap<Long, Integer> recordSizes = new TreeMap<>();

  private long freeRoot = PageFormat.NO_PAGE;
  private boolean freeRootDirty;

  /** Pages taken out of the free list in this transaction, ascending; used from the lowest. */
  private List<Long> head = new ArrayList<>();

  private boolean headLoaded;

  /** The last transaction whose freed pages are in {@link #head}. */
  private long headLast;

  private List<Long> freed = new ArrayList<>();

  AllocationModel(int pageSize) {
    this.pageSize = pageSize;
  }

  /** The highest page handed out so far. */
  long lastPage() {
    return next - 1;
  }

  /** The first of {@code count} neighbouring pages. */
  long allocate(int count) {
    int retries = count * 60;
    long last = headLast;
    while (true) {
      if (head.size() >= count) {
        for (int i = 0; i + count <= head.size(); i++) {
          if (head.get(i + count - 1) == head.get(i) + count - 1) {
            long page = head.get(i);
            head.subList(i, i + count).clear();
            return page;
          }
        }
        if (--retries < 0) {
          break;
        }
      }
      Map.Entry<Long, List<Long>> record = freeRecords.ceilingEntry(last + 1);
      // A reader of the last commit may still need what later transactions freed.
      if (record == null || record.getKey() >= transaction - 1) {
        break;
      }
      last = record.getKey();
      headLast = last;
      headLoaded = true;
      head.addAll(record.getValue());
      Collections.sort(head);
    }
    long page = next;
    next += count;
    return page;
  }

  /** A copy of a page of an earlier transaction, which becomes free. */
  long replace(long page) {
    long copy = allocate(1);
    freed.add(page);
    return copy;
  }

  /** Ends the transaction: saves the free list by liblmdb's rules, which takes pages itself. */
  void commit() {
    saveFreeList();
    transaction++;
    head = new ArrayList<>();
    headLoaded = false;
    headLast = 0;
    freed = new ArrayList<>();
    freeRootDirty = false;
  }

  private void saveFreeList() {
    int mostInOnePage = (pageSize - PageFormat.PAGE_HEADER) / Long.BYTES - 1;
    long deleted = 0;
    long headId = 0;
    int saved = 0;
    int headRoom = 0;
    int totalRoom = 0;
    boolean more = true;
    if (headLoaded) {
      touchFreeRoot();
    }
    while (true) {
      while (deleted < headLast) {
        deleted = freeRecords.firstKey();
        headId = deleted;
        totalRoom = 0;
        headRoom = 0;
        freeRecords.remove(deleted);
        recordSizes.remove(deleted);
        if (freeRecords.isEmpty()) {
          freed.add(freeRoot);
          freeRoot = PageFormat.NO_PAGE;
        }
      }
      if (saved < freed.size()) {
        if (saved == 0) {
          touchFreeRoot();
        }
        do {
          saved = freed.size();
          put(transaction, saved);
        } while (saved < freed.size());
        freeRecords.put(transaction, new ArrayList<>(freed));
        continue;
      }
      if (totalRoom >= head.size()) {
        if (totalRoom == head.size() || !more) {
          break;
        }
        more = false;
      }
      totalRoom -= headRoom;
      headRoom = Math.max(0, head.size() - totalRoom);
      if (headRoom > mostInOnePage) {
        throw new LongFreeListException();
      }
      put(headId, headRoom);
      totalRoom += headRoom;
    }
    if (!head.isEmpty()) {
      freeRecords.put(headId, new ArrayList<>(head));
    }
  }

  private void touchFreeRoot() {
    if (freeRoot != PageFormat.NO_PAGE && !freeRootDirty) {
      long old = freeRoot;
      freeRoot = allocate(1);
      freed.add(old);
      freeRootDirty = true;
    }
  }

  private void put(long id, int pages) {
    if (freeRoot == PageFormat.NO_PAGE) {
      freeRoot = allocate(1);
      freeRootDirty = true;
    } else {
      touchFreeRoot();
    }
    freeRecords.putIfAbsent(id, List.of());
    int node = PageFormat.NODE_HEADER + Long.BYTES + (pages + 1) * Long.BYTES;
    recordSizes.put(id, node + 2);
    int used = recordSizes.values().stream().mapToInt(Integer::intValue).sum();
    if (node > PageFormat.maxNode(pageSize) || used > pageSize - PageFormat.PAGE_HEADER) {
      throw new LongFreeListException();
    }
  }
}
