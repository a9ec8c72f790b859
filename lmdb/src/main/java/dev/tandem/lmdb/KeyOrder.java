package dev.tandem.lmdb;

import dev.tandem.core.UsageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The orders that LMDB's database flags choose for keys and for duplicates. */
enum KeyOrder {
  /** Byte by byte, unsigned, a prefix before its extensions. */
  LEXICAL {
    @Override
    int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
      int common = Math.min(length, size);
      int i = 0;
      for (; i + Long.BYTES <= common; i += Long.BYTES) {
        long mine = (long) BIG_ENDIAN.get(key, i);
        long theirs = Long.reverseBytes(page.getLong(at + i));
        if (mine != theirs) {
          return Long.compareUnsigned(mine, theirs);
        }
      }
      for (; i < common; i++) {
        int difference = (key[i] & 0xFF) - (page.get(at + i) & 0xFF);
        if (difference != 0) {
          return difference;
        }
      }
      return length - size;
    }
  },

  /** As {@link #LEXICAL}, read from the last byte to the first. */
  REVERSE {
    @Override
    int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
      int common = Math.min(length, size);
      for (int i = 1; i <= common; i++) {
        int difference = (key[length - i] & 0xFF) - (page.get(at + size - i) & 0xFF);
        if (difference != 0) {
          return difference;
        }
      }
      return length - size;
    }
  },

  /** Unsigned little-endian integers; LMDB asks for 4 or 8 bytes, any length compares. */
  INTEGER {
    @Override
    int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
      for (int i = Math.max(length, size) - 1; i >= 0; i--) {
        int left = i < length ? key[i] & 0xFF : 0;
        int right = i < size ? page.get(at + i) & 0xFF : 0;
        if (left != right) {
          return left - right;
        }
      }
      return 0;
    }
  };

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Compares a key with the {@code size} bytes at {@code at} of a little-endian page. */
  abstract int compare(byte[] key, int length, ByteBuffer page, int at, int size);

  /**
   * As {@link #compare}, for writers: integers of another size than the stored ones are refused.
   */
  int compareForWriting(byte[] key, int length, ByteBuffer page, int at, int size) {
    if (this == INTEGER && length != size) {
      throw new UsageException(
          "integers of one database have one size: %d bytes given where %d are stored"
              .formatted(length, size));
    }
    return compare(key, length, page, at, size);
  }

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
