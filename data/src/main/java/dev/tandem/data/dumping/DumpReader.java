package dev.tandem.data.dumping;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads dumps, ours, {@code mdb_dump}'s and Berkeley DB's of a B-tree: {@link #nextDatabase()},
 * then {@link #next()} for its records, until there is none. Errors name the line. For one thread;
 * does not close its stream.
 */
public final class DumpReader {

  /** The value of a hexadecimal digit by its character, -1 for others. */
  private static final byte[] DIGITS = new byte[256];

  static {
    for (int character = 0; character < DIGITS.length; character++) {
      DIGITS[character] = (byte) (character < 128 ? Character.digit(character, 16) : -1);
    }
  }

  private final Path name;
  private final InputStream source;
  private final byte[] buffer = new byte[1 << 16];
  private int at;
  private int limit;

  /** The current line without its end. */
  private byte[] line = new byte[1 << 12];

  private int lineLength;
  private long lineNumber;

  private boolean printable;
  private byte[] key = new byte[512];
  private int keyLength;
  private byte[] value = new byte[1 << 12];
  private int valueLength;

  /**
   * @param name what errors call the dump
   */
  public DumpReader(Path name, InputStream source) {
    this.name = name;
    this.source = source;
  }

  /** The header of the next database, or empty at the end of the dump. */
  public Optional<DumpHeader> nextDatabase() {
    if (!readLine()) {
      if (lineNumber == 0) {
        throw wrong("the dump is empty");
      }
      return Optional.empty();
    }
    printable = false;
    Optional<String> database = Optional.empty();
    int flags = 0;
    long mapSize = 0;
    int maxReaders = 0;
    int pageSize = 0;
    for (boolean first = true; ; first = false) {
      String text = new String(line, 0, lineLength, StandardCharsets.UTF_8);
      int equals = text.indexOf('=');
      if (equals < 0 || (first && !text.startsWith("VERSION="))) {
        throw wrong("this is no header of a dump (VERSION=3 and so on)");
      }
      String argument = text.substring(equals + 1);
      switch (text.substring(0, equals)) {
        case "VERSION" -> {
          if (number(argument) > 3) {
            throw wrong("version " + argument + " is not known");
          }
        }
        case "HEADER" -> {
          return Optional.of(
              new DumpHeader(printable, database, flags, mapSize, 0, maxReaders, pageSize));
        }
        case "format" -> printable = isPrintable(argument);
        case "database" -> database = Optional.of(argument);
        case "type" -> {
          if (!argument.equals("btree")) {
            throw wrong("a dump of type " + argument + " is not known, only btree");
          }
        }
        case "mapsize" -> mapSize = number(argument);
        case "maxreaders" -> maxReaders = (int) number(argument);
        case "db_pagesize" -> pageSize = (int) number(argument);
        default -> flags |= flag(text.substring(0, equals), argument);
      }
      if (!readLine()) {
        throw wrong("the dump ends within a header");
      }
    }
  }

  private boolean isPrintable(String format) {
    return switch (format) {
      case "print" -> true;
      case "bytevalue" -> false;
      default -> throw wrong("format " + format + " is not known, only bytevalue and print");
    };
  }

  /** Other keywords (duplicates, mapaddr, those of Berkeley DB) say nothing that is needed. */
  private static int flag(String keyword, String argument) {
    for (DatabaseFlag flag : DatabaseFlag.values()) {
      if (flag.keyword().equals(keyword) && !argument.equals("0")) {
        return flag.bit();
      }
    }
    return 0;
  }

  private long number(String text) {
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw wrong("'" + text + "' is no number");
    }
  }

  /** Goes to the next record of the database; false at its end. */
  public boolean next() {
    if (!readLine()) {
      throw wrong("the dump ends without DATA=END: it is cut short");
    }
    if (lineLength == 8 && new String(line, 0, 8, StandardCharsets.US_ASCII).equals("DATA=END")) {
      return false;
    }
    key = grown(key, lineLength);
    keyLength = decode(key);
    if (!readLine()) {
      throw wrong("the dump ends between a key and its value: it is cut short");
    }
    value = grown(value, lineLength);
    valueLength = decode(value);
    return true;
  }

  /** The current key, borrowed until the next record. */
  public MemorySegment key() {
    return MemorySegment.ofArray(key).asSlice(0, keyLength);
  }

  /** The current value, borrowed until the next record. */
  public MemorySegment value() {
    return MemorySegment.ofArray(value).asSlice(0, valueLength);
  }

  /** Number of the line that was read last, from 1. */
  public long lineNumber() {
    return lineNumber;
  }

  private static byte[] grown(byte[] array, int needed) {
    return array.length >= needed ? array : new byte[Math.max(needed, 2 * array.length)];
  }

  /** Puts the bytes that the line stands for into {@code target}. */
  private int decode(byte[] target) {
    if (lineLength == 0 || line[0] != ' ') {
      throw wrong("a line of a record begins with a space, this one does not");
    }
    return printable ? decodePrintable(target) : decodeHexadecimal(target);
  }

  private int decodeHexadecimal(byte[] target) {
    int digits = lineLength - 1;
    if ((digits & 1) != 0) {
      throw wrong("an odd number of hexadecimal digits");
    }
    int length = digits / 2;
    int bad = 0;
    for (int i = 0; i < length; i++) {
      int high = DIGITS[line[1 + 2 * i] & 0xFF];
      int low = DIGITS[line[2 + 2 * i] & 0xFF];
      bad |= high | low;
      target[i] = (byte) (high << 4 | low);
    }
    if (bad < 0) {
      throw wrong("a character that is no hexadecimal digit");
    }
    return length;
  }

  /**
   * A backslash begins two digits or stands, doubled, for itself. One before anything else is taken
   * as it is: mdb_dump 0.9.24 does not escape it.
   */
  private int decodePrintable(byte[] target) {
    int length = 0;
    for (int i = 1; i < lineLength; i++) {
      byte b = line[i];
      if (b == '\\' && i + 1 < lineLength) {
        if (line[i + 1] == '\\') {
          i++;
        } else if (i + 2 < lineLength && digit(line[i + 1]) >= 0 && digit(line[i + 2]) >= 0) {
          b = (byte) (digit(line[i + 1]) << 4 | digit(line[i + 2]));
          i += 2;
        }
      }
      target[length++] = b;
    }
    return length;
  }

  private static int digit(byte character) {
    return DIGITS[character & 0xFF];
  }

  /** Reads a line; false at the end of the stream. A last line may lack its end. */
  private boolean readLine() {
    lineLength = 0;
    lineNumber++;
    while (true) {
      if (at == limit && !refill()) {
        if (lineLength == 0) {
          lineNumber--;
          return false;
        }
        return true;
      }
      int end = at;
      while (end < limit && buffer[end] != '\n') {
        end++;
      }
      int count = end - at;
      if (line.length - lineLength < count) {
        line = Arrays.copyOf(line, Math.max(2 * line.length, lineLength + count));
      }
      System.arraycopy(buffer, at, line, lineLength, count);
      lineLength += count;
      at = end;
      if (at < limit) {
        at++;
        return true;
      }
    }
  }

  private boolean refill() {
    try {
      at = 0;
      limit = Math.max(0, source.read(buffer));
      return limit > 0;
    } catch (IOException e) {
      throw FileErrors.failure("read", name, e);
    }
  }

  private WorkFailedException wrong(String what) {
    return new WorkFailedException(name + ", line " + Math.max(1, lineNumber) + ": " + what);
  }
}
