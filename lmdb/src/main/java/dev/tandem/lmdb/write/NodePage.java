package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/**
 * A branch or leaf page in memory, with what it takes to change it. A sub-page of duplicates is one
 * too, of the size of its node's data.
 *
 * <p>Offsets are from the start of the page. Whoever loads a page from a file checks it first (see
 * {@link PageSpace}); here, bytes are trusted. Confined to the thread of its transaction.
 */
final class NodePage {

  /** Little-endian; its capacity is the size of the page. */
  final ByteBuffer bytes;

  /** True if the page number belongs to the running transaction: the page changes in place. */
  boolean owned;

  /** True if memory holds what the file does not. */
  boolean dirty;

  private long number;

  NodePage(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** Makes it an empty page. */
  void format(long newNumber, int flags) {
    number(newNumber);
    bytes.putShort(8, (short) 0);
    bytes.putShort(10, (short) flags);
    bounds(PageFormat.PAGE_HEADER, bytes.capacity());
  }

  long number() {
    return number;
  }

  void number(long newNumber) {
    number = newNumber;
    bytes.putLong(0, newNumber);
  }

  /** Takes the number that the bytes were loaded under. */
  void loaded(long loadedNumber) {
    number = loadedNumber;
    owned = false;
    dirty = false;
  }

  int flags() {
    return PageFormat.flags(bytes, 0);
  }

  boolean isBranch() {
    return (flags() & PageFormat.BRANCH) != 0;
  }

  /** True for LEAF2: fixed-size keys side by side, no nodes. */
  boolean isPacked() {
    return (flags() & PageFormat.LEAF2) != 0;
  }

  /** Size of the keys of a packed page. */
  int packedSize() {
    return PageFormat.pad(bytes, 0);
  }

  void packedSize(int size) {
    bytes.putShort(8, (short) size);
  }

  int count() {
    return PageFormat.keyCount(bytes, 0);
  }

  int lower() {
    return PageFormat.lower(bytes, 0);
  }

  int upper() {
    return PageFormat.upper(bytes, 0);
  }

  /** Free bytes between the offsets and the nodes. */
  int room() {
    return upper() - lower();
  }

  void bounds(int lower, int upper) {
    bytes.putShort(12, (short) lower);
    bytes.putShort(14, (short) upper);
  }

  /** How full it is, in thousandths of what an empty page offers. */
  int fill() {
    int whole = bytes.capacity() - PageFormat.PAGE_HEADER;
    return (int) (1000L * (whole - room()) / whole);
  }

  /** Offset of node {@code index}. */
  int node(int index) {
    return PageFormat.nodeOffset(bytes, 0, index);
  }

  int nodeFlags(int index) {
    return PageFormat.nodeFlags(bytes, node(index));
  }

  int keyAt(int index) {
    return isPacked()
        ? PageFormat.PAGE_HEADER + index * packedSize()
        : node(index) + PageFormat.NODE_HEADER;
  }

  int keySize(int index) {
    return isPacked() ? packedSize() : PageFormat.nodeKeySize(bytes, node(index));
  }

  byte[] key(int index) {
    byte[] key = new byte[keySize(index)];
    bytes.get(keyAt(index), key);
    return key;
  }

  int dataAt(int index) {
    int node = node(index);
    return node + PageFormat.NODE_HEADER + PageFormat.nodeKeySize(bytes, node);
  }

  /** Size of the value, wherever it lies. */
  long dataSize(int index) {
    return PageFormat.nodeDataSize(bytes, node(index));
  }

  void dataSize(int index, long size) {
    bytes.putInt(node(index), (int) size);
  }

  long child(int index) {
    return PageFormat.nodeChild(bytes, node(index));
  }

  void child(int index, long page) {
    int node = node(index);
    bytes.putInt(node, (int) page);
    bytes.putShort(node + 4, (short) (page >>> 32));
  }

  /** Bytes that node {@code index} takes, without its offset. */
  int nodeBytes(int index) {
    int node = node(index);
    int size = PageFormat.NODE_HEADER + PageFormat.nodeKeySize(bytes, node);
    if (!isBranch()) {
      size +=
          (PageFormat.nodeFlags(bytes, node) & PageFormat.BIG_DATA) != 0
              ? Long.BYTES
              : (int) PageFormat.nodeDataSize(bytes, node);
    }
    return even(size);
  }

  static int even(int size) {
    return (size + 1) & -2;
  }

  /** Makes room for a node of this even size as number {@code index}, and returns its offset. */
  int open(int index, int size) {
    int lower = lower();
    int at = PageFormat.PAGE_HEADER + 2 * index;
    bytes.put(at + 2, bytes, at, lower - at);
    int node = upper() - size;
    bytes.putShort(at, (short) node);
    bounds(lower + 2, node);
    return node;
  }

  /** Removes node {@code index} and closes the gap. */
  void remove(int index) {
    int node = node(index);
    int size = nodeBytes(index);
    int lower = lower();
    int upper = upper();
    int at = PageFormat.PAGE_HEADER + 2 * index;
    bytes.put(at, bytes, at + 2, lower - at - 2);
    for (int offset = PageFormat.PAGE_HEADER; offset < lower - 2; offset += 2) {
      int other = bytes.getShort(offset) & 0xFFFF;
      if (other < node) {
        bytes.putShort(offset, (short) (other + size));
      }
    }
    bytes.put(upper + size, bytes, upper, node - upper);
    bounds(lower - 2, upper + size);
  }

  /** Copies a node of another page here as number {@code index}. */
  void copy(int index, NodePage from, int fromIndex) {
    int size = from.nodeBytes(fromIndex);
    int node = open(index, size);
    bytes.put(node, from.bytes, from.node(fromIndex), size);
  }

  /** Adds a branch node. */
  void insertBranch(int index, byte[] key, int keyLength, long page) {
    int node = open(index, even(PageFormat.NODE_HEADER + keyLength));
    bytes.putInt(node, (int) page);
    bytes.putShort(node + 4, (short) (page >>> 32));
    bytes.putShort(node + 6, (short) keyLength);
    bytes.put(node + PageFormat.NODE_HEADER, key, 0, keyLength);
  }

  /** Adds a key to a packed page. */
  void insertPacked(int index, byte[] key) {
    int size = packedSize();
    int at = keyAt(index);
    bytes.put(at + size, bytes, at, (count() - index) * size);
    bytes.put(at, key, 0, size);
    bounds(lower() + 2, upper() - (size - 2));
  }

  /** Removes a key of a packed page. */
  void removePacked(int index) {
    int size = packedSize();
    int at = keyAt(index);
    bytes.put(at, bytes, at + size, (count() - index - 1) * size);
    bounds(lower() - 2, upper() + (size - 2));
  }

  /** Puts the content of another page here, all but its number. */
  void contentOf(NodePage other) {
    bytes.put(8, other.bytes, 8, other.bytes.capacity() - 8);
  }
}
