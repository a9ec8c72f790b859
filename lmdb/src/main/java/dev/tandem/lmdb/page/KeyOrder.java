package dev.tandem.lmdb.page;

import dev.tandem.core.UsageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The orders in which LMDB sorts keys and duplicates, by the flags of a database. */
public enum KeyOrder {
  /** Byte by byte, unsigned; a prefix comes first. */
  LEXICAL {
    @Override
    public int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
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
  /** As lexical, from the last byte to the first. */
  REVERSE {
    @Override
    public int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
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
  /** Unsigned little-endian integers of 4 or 8 bytes, all of one size. */
  INTEGER {
    @Override
    public int compare(byte[] key, int length, ByteBuffer page, int at, int size) {
      if (length != size) {
        throw new UsageException(
            "integers of one database have one size: "
                + length
                + " bytes given where "
                + size
                + " are stored");
      }
      return REVERSE.compare(key, length, page, at, size);
    }
  };

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Compares a key with one in a little-endian page. */
  public abstract int compare(byte[] key, int length, ByteBuffer page, int at, int size);

  /** As the other, for readers: integers of unequal size, which only damage can bring, compare. */
  public int compare(byte[] key, ByteBuffer page, int at, int size) {
    if (this != INTEGER || key.length == size) {
      return compare(key, key.length, page, at, size);
    }
    for (int i = Math.max(key.length, size) - 1; i >= 0; i--) {
      int mine = i < key.length ? key[i] & 0xFF : 0;
      int theirs = i < size ? page.get(at + i) & 0xFF : 0;
      if (mine != theirs) {
        return mine - theirs;
      }
    }
    return 0;
  }

  /** Order of the keys of a database with these flags. */
  public static KeyOrder ofKeys(int flags) {
    if ((flags & PageFormat.REVERSE_KEY) != 0) {
      return REVERSE;
    }
    return (flags & PageFormat.INTEGER_KEY) != 0 ? INTEGER : LEXICAL;
  }

  /** Order of the duplicates of a database with these flags. */
  public static KeyOrder ofDuplicates(int flags) {
    if ((flags & PageFormat.INTEGER_DUP) != 0) {
      return INTEGER;
    }
    return (flags & PageFormat.REVERSE_DUP) != 0 ? REVERSE : LEXICAL;
  }
}
