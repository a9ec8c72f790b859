package dev.tandem.checkpoint.exchange;

import dev.tandem.checkpoint.Safetensors;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/** Files of tensors, by the ending of their names. */
public enum TensorFiles {
  SAFETENSORS(".safetensors"),
  NPZ(".npz");

  /** Buffers hold at most 2 GiB. */
  private static final long PIECE = 1L << 30;

  private static final int ALIGNMENT = 64;

  private final String ending;

  TensorFiles(String ending) {
    this.ending = ending;
  }

  /** The kind of a file. */
  public static TensorFiles of(Path file) {
    for (TensorFiles kind : values()) {
      if (file.toString().endsWith(kind.ending)) {
        return kind;
      }
    }
    throw new UsageException(file + " ends neither with .safetensors nor with .npz");
  }

  /** The tensors of a file, in memory of the arena. */
  public List<TensorView> read(Path file, Arena arena) {
    return switch (this) {
      case SAFETENSORS -> Safetensors.parse(map(file, arena), file.toString()).tensors();
      case NPZ -> Npz.read(file, arena);
    };
  }

  /** Writes tensors so that after a crash the file is the old one, none, or whole. */
  public void write(Path file, List<TensorView> tensors, Map<String, String> metadata) {
    Path target = file.toAbsolutePath();
    Path pending = target.resolveSibling(target.getFileName() + ".pending");
    DurableFiles files = DurableFiles.system();
    try {
      switch (this) {
        case SAFETENSORS -> writeSafetensors(pending, tensors, metadata);
        case NPZ -> Npz.write(pending, tensors);
      }
      files.rename(pending, target);
    } catch (RuntimeException e) {
      files.delete(pending);
      throw e;
    }
    files.forceDirectory(target.getParent());
  }

  private static MemorySegment map(Path file, Arena arena) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static void writeSafetensors(
      Path path, List<TensorView> tensors, Map<String, String> metadata) {
    List<TensorView> sorted = Safetensors.sorted(tensors);
    try (DurableFile file = DurableFiles.system().openOrCreate(path)) {
      file.truncate(0);
      byte[] header = Safetensors.header(sorted, metadata, ALIGNMENT);
      file.write(ByteBuffer.wrap(header), 0);
      long at = header.length;
      for (TensorView tensor : sorted) {
        for (long from = 0; from < tensor.byteSize(); from += PIECE) {
          long length = Math.min(PIECE, tensor.byteSize() - from);
          file.write(tensor.data().asSlice(from, length).asByteBuffer(), at + from);
        }
        at += tensor.byteSize();
      }
      file.force();
    }
  }
}
