package dev.tandem.data.read;

import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.PositionalFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * All leaf pages of a database in memory, for reading in random order: else each record would need
 * two reads. They are a hundredth of a database of images or less. Immutable once made.
 */
final class LeafCache {

  /** More leaves than this are read record by record. */
  private static final long MOST_BYTES = 256 << 20;

  private final RecordIndex index;
  private final int block;
  private final ByteBuffer memory;

  private LeafCache(RecordIndex index, int block, ByteBuffer memory) {
    this.index = index;
    this.block = block;
    this.memory = memory;
  }

  /** Whether the leaves are worth keeping: few bytes, and not the values themselves. */
  static boolean suits(RecordIndex index, int block) {
    long bytes = (long) index.leafCount() * Math.max(index.pageSize(), block);
    return bytes <= MOST_BYTES && index.size() > 0 && !valuesInLeaves(index);
  }

  /** Looks at one record of all: databases have their values in leaves, or have not. */
  private static boolean valuesInLeaves(RecordIndex index) {
    long middle = index.size() / 2;
    return index.offset(middle) / index.pageSize() == index.leafPage(middle);
  }

  /** Who reads leaves together: all, if each reads for itself and all are on one host. */
  static Peers readers(Peers peers, RootGroups groups) {
    int count = peers.size();
    return groups.groups().size() == count && peers.hostRanks().length == count
        ? peers
        : new Peers.Alone();
  }

  /**
   * Reads all leaves, so many requests at a time. Readers of one host read a part each, into memory
   * that they share; all of them call this together.
   */
  static LeafCache read(RecordIndex index, PositionalFile file, int queueDepth, Peers readers) {
    int block = Math.max(index.pageSize(), file.alignment());
    int bytes = index.leafCount() * block;
    ByteBuffer memory =
        readers.size() == 1
            ? ByteBuffer.allocateDirect(bytes + block).alignedSlice(block)
            : GroupMemory.map(readers, bytes, 0).asByteBuffer();
    ReadRound round = new ReadRound(memory);
    int behind = part(index.leafCount(), readers.rank() + 1, readers.size());
    for (int leaf = part(index.leafCount(), readers.rank(), readers.size());
        leaf < behind;
        leaf++) {
      long position = position(index, leaf);
      round.request(position - position % block, leaf * block, block);
    }
    RequestThreads.readAll(file, round, queueDepth);
    readers.barrier();
    return new LeafCache(index, block, memory.order(ByteOrder.LITTLE_ENDIAN));
  }

  private static long position(RecordIndex index, int leaf) {
    return index.pageOfLeaf(leaf) * index.pageSize();
  }

  private static int part(int leaves, int reader, int readers) {
    return (int) ((long) leaves * reader / readers);
  }

  /** The pages; their own thread takes a view. */
  ByteBuffer memory() {
    return memory;
  }

  /** Where a leaf is, by its number in key order. */
  int at(int leaf) {
    return leaf * block + (int) (position(index, leaf) % block);
  }
}
