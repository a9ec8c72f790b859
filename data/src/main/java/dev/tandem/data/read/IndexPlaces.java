package dev.tandem.data.read;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.index.LeafKeys;
import dev.tandem.lmdb.index.NumberedKeys;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.ByteBuffer;

/**
 * Finds records by the record index. Of keys the index knows at most how they count: else their
 * leaf is read along, which costs little where records come in key order, or all leaves were read
 * before. For one thread.
 */
final class IndexPlaces {

  private final RecordIndex index;
  private final LeafCache cache;
  private final LeafKeys keys;
  private final NumberedKeys numbered;

  /** The last keys that were made from numbers; each goes behind the one before, then round. */
  private final ByteBuffer made;

  private int nextMade;

  /** The leaf of the last record, whose neighbours are likely in it, too. */
  private int leaf = -1;

  private long firstOfLeaf;
  private long behindLeaf;

  private IndexPlaces(
      RecordIndex index, Database database, LeafCache cache, NumberedKeys numbered, int kept) {
    this.index = index;
    this.cache = cache;
    this.keys = new LeafKeys(database);
    this.numbered = numbered;
    this.made = numbered == null ? null : ByteBuffer.allocate(kept * numbered.width());
  }

  /** With the leaf of each record to be read along. */
  static IndexPlaces withLeaves(RecordIndex index, Database database) {
    return new IndexPlaces(index, database, null, null, 0);
  }

  /** With keys from leaves that were read before. */
  static IndexPlaces withCache(RecordIndex index, Database database, LeafCache cache) {
    return new IndexPlaces(index, database, cache, null, 0);
  }

  /**
   * With keys that count, for which no leaf is needed.
   *
   * @param kept so many keys stay where they are while others are found
   */
  static IndexPlaces withNumbers(RecordIndex index, Database database, int kept) {
    return new IndexPlaces(index, database, null, index.numberedKeys().orElseThrow(), kept);
  }

  /** Says where a record is. */
  void find(long ordinal, Located record) {
    record.valuePosition = index.offset(ordinal);
    record.valueLength = MappedData.length(index.length(ordinal));
    if (numbered != null) {
      makeKey(ordinal, record);
      return;
    }
    findLeaf(ordinal);
    long page = index.pageOfLeaf(leaf);
    if (cache == null) {
      record.leafPage = page;
      record.inLeaf = ordinal - firstOfLeaf;
      record.keyPosition = page * index.pageSize();
      record.keyLength = index.pageSize();
      record.keyMemory = null;
    } else {
      keys.load(page, cache.memory(), cache.at(leaf));
      keys.seek(ordinal - firstOfLeaf);
      record.leafPage = -1;
      record.keyMemory = cache.memory();
      record.keyPosition = keys.keyAt();
      record.keyLength = keys.keyLength();
    }
  }

  private void makeKey(long ordinal, Located record) {
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

  private void findLeaf(long ordinal) {
    if (leaf >= 0 && ordinal >= firstOfLeaf && ordinal < behindLeaf) {
      return;
    }
    leaf = index.leafOf(ordinal);
    firstOfLeaf = index.firstOfLeaf(leaf);
    behindLeaf = leaf + 1 < index.leafCount() ? index.firstOfLeaf(leaf + 1) : index.size();
  }
}
