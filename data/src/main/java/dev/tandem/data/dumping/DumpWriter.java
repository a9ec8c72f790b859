package dev.tandem.data.dumping;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Writes dumps. Bytes go through one buffer and a table, so that the disk and not the formatting
 * sets the pace. For one thread; {@link #flush()} when done.
 */
public final class DumpWriter {

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** Space that one input byte may need: a backslash and two digits. */
  private static final int WIDEST = 3;

  private final OutputStream target;
  private final byte[] buffer = new byte[1 << 17];
  private final byte[] chunk = new byte[1 << 14];
  private int used;
  private boolean printable;

  public DumpWriter(OutputStream target) {
    this.target = target;
  }

  /** Begins a database. */
  public void begin(DumpHeader header) throws IOException {
    printable = header.printable();
    StringBuilder text = new StringBuilder("VERSION=3\n");
    text.append("format=").append(printable ? "print" : "bytevalue").append('\n');
    header.database().ifPresent(name -> text.append("database=").append(name).append('\n'));
    text.append("type=btree\n");
    text.append("mapsize=").append(Long.toUnsignedString(header.mapSize())).append('\n');
    if (header.mapAddress() != 0) {
      text.append("mapaddr=0x").append(Long.toHexString(header.mapAddress())).append('\n');
    }
    text.append("maxreaders=").append(header.maxReaders()).append('\n');
    if (DatabaseFlag.DUPSORT.in(header.flags())) {
      text.append("duplicates=1\n");
    }
    for (DatabaseFlag flag : DatabaseFlag.values()) {
      if (flag.in(header.flags())) {
        text.append(flag.keyword()).append("=1\n");
      }
    }
    text.append("db_pagesize=").append(header.pageSize()).append('\n');
    text.append("HEADER=END\n");
    raw(text);
  }

  /** Writes one record. */
  public void record(MemorySegment key, MemorySegment value) throws IOException {
    line(key);
    line(value);
  }

  /** Ends the database that was begun last. */
  public void end() throws IOException {
    raw("DATA=END\n");
  }

  /** Writes a line of text that is no record. */
  public void text(String line) throws IOException {
    raw(line + "\n");
  }

  /** Hands everything to the stream. */
  public void flush() throws IOException {
    drain();
    target.flush();
  }

  private void raw(CharSequence text) throws IOException {
    drain();
    target.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private void line(MemorySegment bytes) throws IOException {
    reserve(1);
    buffer[used++] = ' ';
    long size = bytes.byteSize();
    for (long done = 0; done < size; ) {
      int count = (int) Math.min(chunk.length, size - done);
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, done, chunk, 0, count);
      reserve(count * WIDEST);
      if (printable) {
        print(count);
      } else {
        hexadecimal(count);
      }
      done += count;
    }
    reserve(1);
    buffer[used++] = '\n';
  }

  private void hexadecimal(int count) {
    int at = used;
    for (int i = 0; i < count; i++) {
      int value = chunk[i];
      buffer[at++] = DIGITS[value >> 4 & 0xF];
      buffer[at++] = DIGITS[value & 0xF];
    }
    used = at;
  }

  /** What C's isprint takes for printable stays; a backslash does, too, as in mdb_dump 0.9.24. */
  private void print(int count) {
    int at = used;
    for (int i = 0; i < count; i++) {
      int value = chunk[i];
      if (value >= ' ' && value <= '~') {
        buffer[at++] = (byte) value;
      } else {
        buffer[at++] = '\\';
        buffer[at++] = DIGITS[value >> 4 & 0xF];
        buffer[at++] = DIGITS[value & 0xF];
      }
    }
    used = at;
  }

  private void reserve(int bytes) throws IOException {
    if (buffer.length - used < bytes) {
      drain();
    }
  }

  private void drain() throws IOException {
    target.write(buffer, 0, used);
    used = 0;
  }
}
