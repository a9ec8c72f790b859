package dev.tandem.data.read.mode;

import dev.tandem.lmdb.index.NumberedKeys;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.ByteBuffer;

/**
 * Finds records by the record index. Of keys the index knows at most how they count: else their
 * leaf is read along, which costs little where records come in key order. For one thread.
 */
final class IndexLookup {

  private final RecordIndex index;
  private final NumberedKeys numbered;

  /** The last keys that were made from numbers; each goes after the one before, then round. */
  private final ByteBuffer made;

  private int nextMade;

  /** The leaf of the last record, whose neighbours are likely in it, too. */
  private RecordIndex.Leaf leaf = new RecordIndex.Leaf(-1, 0, 0);

  private IndexLookup(RecordIndex index, NumberedKeys numbered, int kept) {
    this.index = index;
    this.numbered = numbered;
    this.made = numbered == null ? null : ByteBuffer.allocate(kept * numbered.width());
  }

  /** With the leaf of each record to be read along. */
  static IndexLookup withLeaves(RecordIndex index) {
    return new IndexLookup(index, null, 0);
  }

  /**
   * With keys that count, for which no leaf is needed.
   *
   * @param kept how many keys stay where they are while others are found
   */
  static IndexLookup withNumbers(RecordIndex index, int kept) {
    return new IndexLookup(index, index.numberedKeys().orElseThrow(), kept);
  }

  /** Says where a record is. */
  void find(long ordinal, RecordLocation record) {
    record.valuePosition = index.offset(ordinal);
    record.valueLength = MappedData.length(index.length(ordinal));
    if (numbered != null) {
      makeKey(ordinal, record);
      return;
    }
    if (ordinal < leaf.first() || ordinal >= leaf.end()) {
      leaf = index.leaf(ordinal);
    }
    record.leafPage = leaf.page();
    record.inLeaf = ordinal - leaf.first();
    record.keyPosition = leaf.page() * index.pageSize();
    record.keyLength = index.pageSize();
    record.keyMemory = null;
  }

  private void makeKey(long ordinal, RecordLocation record) {
    if (nextMade == made.capacity()) {
      nextMade = 0;
    }
    numbered.put(ordinal, made, nextMade);
    record.leafPage = -1;
    record.keyMemory = made;
    record.keyPosition = nextMade;
    record.keyLength = numbered.width();
    nextMade += numbered.width();
  }
}
