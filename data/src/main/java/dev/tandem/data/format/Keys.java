package dev.tandem.data.format;

import java.nio.charset.StandardCharsets;

/** Keys as Caffe's tools write them, without the cost of a formatter. */
public final class Keys {

  private Keys() {}

  /** {@code number} as C's {@code printf} writes it for {@code %0<digits>d}: longer if need be. */
  public static byte[] padded(long number, int digits) {
    return padded(number, digits, "");
  }

  /** The padded number with {@code suffix} behind it. */
  public static byte[] padded(long number, int digits, String suffix) {
    String text = Long.toString(number);
    int zeros = Math.max(0, digits - text.length());
    byte[] tail = suffix.getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[zeros + text.length() + tail.length];
    for (int i = 0; i < zeros; i++) {
      key[i] = '0';
    }
    for (int i = 0; i < text.length(); i++) {
      key[zeros + i] = (byte) text.charAt(i);
    }
    System.arraycopy(tail, 0, key, zeros + text.length(), tail.length);
    return key;
  }
}
