package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Cursor;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The position of a cursor in a form that other processes can take it up from: the ordinal and the
 * key of its record, and among duplicates the value. LMDB's own cursors are pointers into one
 * process's mapping.
 */
final class PortableCursor {

  /** Keys and values that are sorted as duplicates are no longer than this (liblmdb's limit). */
  private static final int LONGEST = 511;

  /** Bytes of every message. */
  static final int BYTES = Long.BYTES + 2 * Integer.BYTES + 2 * LONGEST;

  private PortableCursor() {}

  static byte[] write(Cursor cursor, long ordinal, boolean duplicates) {
    byte[] bytes = new byte[BYTES];
    ByteBuffer message = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    byte[] key = cursor.key().toArray(ValueLayout.JAVA_BYTE);
    byte[] value = duplicates ? cursor.value().toArray(ValueLayout.JAVA_BYTE) : new byte[0];
    message.putLong(ordinal).putInt(key.length).putInt(value.length).put(key).put(value);
    return bytes;
  }

  /** Puts a cursor on the record; returns its ordinal. */
  static long restore(byte[] bytes, Cursor cursor, boolean duplicates) {
    ByteBuffer message = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long ordinal = message.getLong();
    byte[] key = new byte[message.getInt()];
    byte[] value = new byte[message.getInt()];
    message.get(key).get(value);
    boolean found = duplicates ? cursor.seekDuplicate(key, value) : cursor.seekExact(key);
    if (!found) {
      throw new IllegalStateException("the record that a cursor was handed over on is not there");
    }
    return ordinal;
  }
}
