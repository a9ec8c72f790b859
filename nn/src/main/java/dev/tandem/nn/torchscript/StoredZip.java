package dev.tandem.nn.torchscript;

import dev.tandem.posix.DurableFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A zip file as PyTorch writes them: without compression, and the data of each entry at a multiple
 * of 64 bytes, so that it can be mapped. The same entries give the same bytes. The file is the
 * caller's to open and close; one thread.
 */
final class StoredZip implements AutoCloseable {

  private static final int ALIGNMENT = 64;

  /** In front of the data are this, the name, and extra fields. */
  private static final int LOCAL_HEADER = 30;

  private static final int EXTRA_HEADER = 4;

  /** An entry of this size or more has its size in an extra field, which is the first. */
  private static final long ZIP64_SIZE = 0xFFFFFFFFL;

  private static final int ZIP64_EXTRA = 20;

  /** The letters FB, by which PyTorch marks the padding before the data. */
  private static final short PADDING = ('B' << 8) | 'F';

  /** Any time, but not a zip file's first day, which {@link ZipEntry} writes in local time. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  private static final int CHUNK = 1 << 18;

  private final Appending file;
  private final ZipOutputStream zip;
  private final byte[] chunk = new byte[CHUNK];

  StoredZip(DurableFile file) {
    this.file = new Appending(file);
    this.zip = new ZipOutputStream(new BufferedOutputStream(this.file));
  }

  void add(String name, byte[] data) throws IOException {
    add(name, MemorySegment.ofArray(data));
  }

  void add(String name, MemorySegment data) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(data.byteSize());
    entry.setTimeLocal(TIME);
    entry.setCrc(checksum(data));
    zip.flush(); // Now the file's size tells where the entry begins.
    entry.setExtra(padding(file.size, name, data.byteSize()));
    zip.putNextEntry(entry);
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      int length = (int) Math.min(CHUNK, data.byteSize() - at);
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at, chunk, 0, length);
      zip.write(chunk, 0, length);
    }
    zip.closeEntry();
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }

  private static byte[] padding(long start, String name, long size) {
    long data =
        start
            + LOCAL_HEADER
            + name.getBytes(StandardCharsets.UTF_8).length
            + (size < ZIP64_SIZE ? 0 : ZIP64_EXTRA)
            + EXTRA_HEADER;
    int length = Math.floorMod(-data, ALIGNMENT);
    return ByteBuffer.allocate(EXTRA_HEADER + length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort(PADDING)
        .putShort((short) length)
        .array();
  }

  private static long checksum(MemorySegment data) {
    CRC32 checksum = new CRC32();
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      checksum.update(data.asSlice(at, Math.min(CHUNK, data.byteSize() - at)).asByteBuffer());
    }
    return checksum.getValue();
  }

  /** Writes to the end of a file that was empty. */
  private static final class Appending extends OutputStream {

    private final DurableFile file;
    private long size;

    Appending(DurableFile file) {
      this.file = file;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      file.write(ByteBuffer.wrap(bytes, from, length), size);
      size += length;
    }
  }
}
