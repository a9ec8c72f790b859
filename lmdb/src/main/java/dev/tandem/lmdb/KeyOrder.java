package dev.tandem.lmdb;

import java.nio.ByteBuffer;

/** The orders that LMDB's database flags choose for keys and for duplicates. */
enum KeyOrder {
  /** Byte by byte, unsigned, a prefix before its extensions. */
  LEXICAL {
    @Override
    int compare(byte[] sought, ByteBuffer buffer, int at, int length) {
      int common = Math.min(sought.length, length);
      for (int i = 0; i < common; i++) {
        int difference = (sought[i] & 0xFF) - (buffer.get(at + i) & 0xFF);
        if (difference != 0) {
          return difference;
        }
      }
      return sought.length - length;
    }
  },

  /** As {@link #LEXICAL}, read from the last byte to the first. */
  REVERSE {
    @Override
    int compare(byte[] sought, ByteBuffer buffer, int at, int length) {
      int common = Math.min(sought.length, length);
      for (int i = 1; i <= common; i++) {
        int difference = (sought[sought.length - i] & 0xFF) - (buffer.get(at + length - i) & 0xFF);
        if (difference != 0) {
          return difference;
        }
      }
      return sought.length - length;
    }
  },

  /** Unsigned little-endian integers; LMDB asks for 4 or 8 bytes, any length compares. */
  INTEGER {
    @Override
    int compare(byte[] sought, ByteBuffer buffer, int at, int length) {
      for (int i = Math.max(sought.length, length) - 1; i >= 0; i--) {
        int left = i < sought.length ? sought[i] & 0xFF : 0;
        int right = i < length ? buffer.get(at + i) & 0xFF : 0;
        if (left != right) {
          return left - right;
        }
      }
      return 0;
    }
  };

  /** Sign of {@code sought} minus the {@code length} bytes at {@code at}. */
  abstract int compare(byte[] sought, ByteBuffer buffer, int at, int length);

  static KeyOrder ofKeys(int databaseFlags) {
    if ((databaseFlags & PageFormat.REVERSE_KEY) != 0) {
      return REVERSE;
    }
    return (databaseFlags & PageFormat.INTEGER_KEY) != 0 ? INTEGER : LEXICAL;
  }

  static KeyOrder ofDuplicates(int databaseFlags) {
    if ((databaseFlags & PageFormat.INTEGER_DUP) != 0) {
      return INTEGER;
    }
    return (databaseFlags & PageFormat.REVERSE_DUP) != 0 ? REVERSE : LEXICAL;
  }
}
