package dev.tandem.data.read;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.LeafKeys;
import dev.tandem.lmdb.RecordIndex;
import java.util.Optional;

/**
 * Finds records by the record index. Keys are not in the index: either their leaf is read along,
 * which costs little where records come in key order, or all leaves were read before. For one
 * thread.
 */
final class IndexPlaces {

  private final RecordIndex index;
  private final LeafCache cache;
  private final LeafKeys keys;

  /** The leaf of the last record, whose neighbours are likely in it, too. */
  private int leaf = -1;

  private long firstOfLeaf;
  private long behindLeaf;

  IndexPlaces(RecordIndex index, Database database, Optional<LeafCache> cache) {
    this.index = index;
    this.cache = cache.orElse(null);
    this.keys = new LeafKeys(database);
  }

  /** Says where a record is. */
  void find(long ordinal, Located record) {
    record.valuePosition = index.offset(ordinal);
    record.valueLength = MappedData.length(index.length(ordinal));
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

  private void findLeaf(long ordinal) {
    if (leaf >= 0 && ordinal >= firstOfLeaf && ordinal < behindLeaf) {
      return;
    }
    leaf = index.leafOf(ordinal);
    firstOfLeaf = index.firstOfLeaf(leaf);
    behindLeaf = leaf + 1 < index.leafCount() ? index.firstOfLeaf(leaf + 1) : index.size();
  }
}
