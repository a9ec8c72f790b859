package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The regular files in a tar archive: POSIX ustar and pax, GNU with long names and large sizes. The
 * checksum of every header is checked.
 */
public final class TarMembers {

  private static final int BLOCK = 512;
  private static final int NAME = 0;
  private static final int NAME_BYTES = 100;
  private static final int SIZE = 124;
  private static final int SIZE_BYTES = 12;
  private static final int CHECKSUM = 148;
  private static final int CHECKSUM_BYTES = 8;
  private static final int TYPE = 156;
  private static final int MAGIC = 257;
  private static final int PREFIX = 345;
  private static final int PREFIX_BYTES = 155;

  /** A regular file. */
  public record Member(String name, long offset, long size) {}

  private final Path path;
  private final MemorySegment archive;
  private String nextName;
  private long nextSize = -1;

  private TarMembers(Path path, MemorySegment archive) {
    this.path = path;
    this.archive = archive;
  }

  /**
   * Hands over all regular files in order.
   *
   * @param path what an error calls the archive
   */
  public static void each(Path path, MemorySegment archive, Consumer<Member> consumer) {
    new TarMembers(path, archive).each(consumer);
  }

  private void each(Consumer<Member> consumer) {
    long at = 0;
    // Archives end with blocks of zeros; some tools leave them out.
    while (at < archive.byteSize()) {
      if (archive.byteSize() - at < BLOCK) {
        throw new WorkFailedException(path + " is cut short: it ends within a header");
      }
      MemorySegment header = archive.asSlice(at, BLOCK);
      if (header.mismatch(MemorySegment.ofArray(new byte[BLOCK])) < 0) {
        return;
      }
      checkHeader(header, at);
      String name = nextName != null ? nextName : name(header);
      long size = nextSize >= 0 ? nextSize : number(header, SIZE, SIZE_BYTES, at);
      long data = at + BLOCK;
      if (size < 0 || size > archive.byteSize() - data) {
        throw new WorkFailedException(path + " is cut short: it ends within " + name);
      }
      visit(header.get(ValueLayout.JAVA_BYTE, TYPE), new Member(name, data, size), consumer);
      at = data + Math.ceilDiv(size, (long) BLOCK) * BLOCK;
    }
  }

  private void visit(byte type, Member member, Consumer<Member> consumer) {
    switch (type) {
      case 'L' -> nextName = text(member.offset, member.size);
      case 'x' -> readExtension(text(member.offset, member.size));
      case 'K', 'g' -> {
        // A long name of a link, or what all members have in common: names and sizes are not.
      }
      default -> {
        if (type == 0 || type == '0' || type == '7') {
          consumer.accept(member);
        }
        nextName = null;
        nextSize = -1;
      }
    }
  }

  /** Lines of pax: their length in decimal, a key, = and a value. */
  private void readExtension(String extension) {
    for (String line : extension.split("\n", -1)) {
      int space = line.indexOf(' ');
      int equals = line.indexOf('=');
      if (space >= 0 && equals > space) {
        String value = line.substring(equals + 1);
        switch (line.substring(space + 1, equals)) {
          case "path" -> nextName = value;
          case "size" -> nextSize = parse(value, 10, 0);
          default -> {
            // Times and owners.
          }
        }
      }
    }
  }

  private void checkHeader(MemorySegment header, long at) {
    long sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      boolean own = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_BYTES;
      sum += own ? ' ' : header.get(ValueLayout.JAVA_BYTE, i) & 0xFF;
    }
    if (number(header, CHECKSUM, CHECKSUM_BYTES, at) != sum) {
      throw new WorkFailedException(
          "%s is damaged or no tar archive: bad header at byte %,d".formatted(path, at));
    }
  }

  private String name(MemorySegment header) {
    String name = text(header, NAME, NAME_BYTES);
    // GNU's own format has other things where ustar has the prefix.
    boolean posix =
        text(header, MAGIC, 6).equals("ustar") && header.get(ValueLayout.JAVA_BYTE, MAGIC + 5) == 0;
    String prefix = posix ? text(header, PREFIX, PREFIX_BYTES) : "";
    return prefix.isEmpty() ? name : prefix + "/" + name;
  }

  /** Octal digits, or binary if the first bit is set. */
  private long number(MemorySegment header, int at, int bytes, long headerAt) {
    byte first = header.get(ValueLayout.JAVA_BYTE, at);
    if (first >= 0) {
      String digits = text(header, at, bytes).strip();
      return digits.isEmpty() ? 0 : parse(digits, 8, headerAt);
    }
    long value = 0;
    for (int i = bytes - Long.BYTES; i < bytes; i++) {
      value = (value << 8) | (header.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF);
    }
    return value;
  }

  private long parse(String digits, int radix, long headerAt) {
    try {
      return Long.parseLong(digits, radix);
    } catch (NumberFormatException e) {
      throw new WorkFailedException(
          "%s is damaged or no tar archive: bad number in the header at byte %,d"
              .formatted(path, headerAt),
          e);
    }
  }

  private String text(long offset, long size) {
    if (size > Integer.MAX_VALUE - 16) {
      throw new WorkFailedException(path + " is damaged: a name of %,d bytes".formatted(size));
    }
    return text(archive, offset, (int) size);
  }

  /** Up to the first zero. */
  private static String text(MemorySegment segment, long offset, int most) {
    int length = 0;
    while (length < most && segment.get(ValueLayout.JAVA_BYTE, offset + length) != 0) {
      length++;
    }
    byte[] bytes = segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
