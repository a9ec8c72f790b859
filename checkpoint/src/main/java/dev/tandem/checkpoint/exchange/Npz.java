package dev.tandem.checkpoint.exchange;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.core.numpy.NpyHeader;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.FileErrors;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * numpy's NPZ: a zip archive with one NPY file, a short text header and the elements, for each
 * array. Written without compression, as {@code numpy.savez} does.
 */
final class Npz {

  private static final int CHUNK = 1 << 20;

  private Npz() {}

  /**
   * Writes an empty file.
   *
   * @param path for errors
   */
  static void write(Path path, DurableFile file, List<TensorView> tensors) {
    try (ZipOutputStream zip = new ZipOutputStream(new BufferedOutputStream(stream(file)))) {
      zip.setMethod(ZipOutputStream.STORED);
      for (TensorView tensor : tensors) {
        byte[] header = header(tensor);
        CRC32 sum = new CRC32();
        sum.update(header);
        chunks(tensor.data(), sum::update);
        ZipEntry entry = new ZipEntry(tensor.name() + ".npy");
        entry.setSize(header.length + tensor.byteSize());
        entry.setCompressedSize(header.length + tensor.byteSize());
        entry.setCrc(sum.getValue());
        // The same tensors give the same file.
        entry.setTimeLocal(LocalDateTime.of(1980, 1, 1, 0, 0));
        zip.putNextEntry(entry);
        zip.write(header);
        write(tensor.data(), zip);
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", path, e);
    }
  }

  private static OutputStream stream(DurableFile file) {
    return new OutputStream() {
      private long at;

      @Override
      public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) {
        file.write(ByteBuffer.wrap(bytes, offset, length), at);
        at += length;
      }
    };
  }

  private interface Chunk {
    void accept(ByteBuffer bytes);
  }

  private static void chunks(MemorySegment data, Chunk chunk) {
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      chunk.accept(data.asSlice(at, Math.min(CHUNK, data.byteSize() - at)).asByteBuffer());
    }
  }

  private static void write(MemorySegment data, OutputStream out) throws IOException {
    byte[] buffer = new byte[CHUNK];
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      int length = (int) Math.min(CHUNK, data.byteSize() - at);
      MemorySegment.copy(data, at, MemorySegment.ofArray(buffer), 0, length);
      out.write(buffer, 0, length);
    }
  }

  private static byte[] header(TensorView tensor) {
    if (tensor.dtype() == DType.BFLOAT16) {
      throw new WorkFailedException(
          "tensor %s is bfloat16, which numpy does not support: use a .safetensors file"
              .formatted(tensor.name()));
    }
    return NpyHeader.encode(tensor.dtype(), tensor.shape());
  }

  static List<TensorView> read(Path path, Arena arena) {
    List<TensorView> tensors = new ArrayList<>();
    try (ZipFile zip = new ZipFile(path.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        String name = entry.getName().replaceFirst("\\.npy$", "");
        try (InputStream in = zip.getInputStream(entry)) {
          tensors.add(read(name, in, arena));
        } catch (IllegalArgumentException e) {
          throw new WorkFailedException(
              "%s: array %s cannot be read: %s".formatted(path, name, e.getMessage()), e);
        }
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
    return tensors;
  }

  private static TensorView read(String name, InputStream in, Arena arena) throws IOException {
    NpyHeader header = NpyHeader.read(in);
    DType type = header.type();
    Shape shape = header.shape();
    MemorySegment data = arena.allocate(Math.multiplyExact(shape.elements(), type.bytes()), 64);
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      byte[] part = in.readNBytes((int) Math.min(CHUNK, data.byteSize() - at));
      if (part.length < Math.min(CHUNK, data.byteSize() - at)) {
        throw new IllegalArgumentException("the file ends too early");
      }
      MemorySegment.copy(MemorySegment.ofArray(part), 0, data, at, part.length);
    }
    return new TensorView(name, type, shape, data);
  }
}
