package dev.tandem.checkpoint;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Shards in memory, for readers of shards: they can be read and nothing else. The memory is
 * borrowed.
 *
 * @param shards by path
 */
record HeldFiles(Map<Path, MemorySegment> shards) implements DurableFiles {

  @Override
  public DurableFile openForReading(Path path) {
    MemorySegment content = shards.get(path);
    if (content == null) {
      throw new WorkFailedException(path + " is damaged: it is not held in memory");
    }
    return new HeldFile(path, content);
  }

  @Override
  public boolean exists(Path path) {
    return shards.containsKey(path);
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("parts in memory are read only");
  }

  @Override
  public DurableFile openOrCreate(Path path) {
    throw readOnly();
  }

  @Override
  public List<String> list(Path folder) {
    throw readOnly();
  }

  @Override
  public void createFolders(Path folder) {
    throw readOnly();
  }

  @Override
  public void createFolder(Path folder) {
    throw readOnly();
  }

  @Override
  public void rename(Path from, Path to) {
    throw readOnly();
  }

  @Override
  public void delete(Path path) {
    throw readOnly();
  }

  @Override
  public void forceDirectory(Path directory) {
    throw readOnly();
  }

  private record HeldFile(Path path, MemorySegment content) implements DurableFile {

    @Override
    public long size() {
      return content.byteSize();
    }

    @Override
    public int read(ByteBuffer target, long position) {
      int count = (int) Math.min(target.remaining(), Math.max(0, size() - position));
      target.put(content.asSlice(position, count).asByteBuffer());
      return count;
    }

    @Override
    public void write(ByteBuffer source, long position) {
      throw readOnly();
    }

    @Override
    public void truncate(long size) {
      throw readOnly();
    }

    @Override
    public void force() {
      throw readOnly();
    }

    @Override
    public void close() {
      // The memory is borrowed.
    }
  }
}
