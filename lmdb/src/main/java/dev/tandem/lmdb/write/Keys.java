package dev.tandem.lmdb.write;

import java.util.Arrays;
import java.util.HexFormat;

/** Keys in messages. */
final class Keys {

  private static final int SHOWN = 32;

  private Keys() {}

  /** Readable keys as text, others in hexadecimal, long ones cut. */
  static String show(byte[] key) {
    return show(key, key.length);
  }

  static String show(byte[] key, int length) {
    int shown = Math.min(length, SHOWN);
    boolean text = true;
    for (int i = 0; i < shown; i++) {
      text &= key[i] >= ' ' && key[i] <= '~';
    }
    StringBuilder out = new StringBuilder();
    if (text) {
      out.append('\'');
      for (int i = 0; i < shown; i++) {
        out.append((char) key[i]);
      }
      out.append('\'');
    } else {
      out.append("0x").append(HexFormat.of().formatHex(Arrays.copyOf(key, shown)));
    }
    return length > shown ? out + "..." : out.toString();
  }
}
