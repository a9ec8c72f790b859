package dev.tandem.data.read.mode;

import java.nio.ByteBuffer;

/** Where one record is; filled by a {@link Locator}, again and again. */
final class RecordLocation {

  long valuePosition;
  int valueLength;

  /** Bytes of the file to read for the key: the key itself, or the leaf page that has it. */
  long keyPosition;

  int keyLength;

  /** The number of the leaf page in which the key must be looked for, or -1. */
  long leafPage;

  /** Which record of that leaf it is. */
  long inLeaf;

  /** Memory that has the key already, at {@link #keyPosition}; or null. */
  ByteBuffer keyMemory;
}
