package dev.tandem.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** {@link DurableFiles} on the machine's filesystems. */
final class SystemDurableFiles implements DurableFiles {

  static final SystemDurableFiles INSTANCE = new SystemDurableFiles();

  private SystemDurableFiles() {}

  @Override
  public DurableFile openOrCreate(Path path) {
    try {
      return new ChannelFile(
          path,
          FileChannel.open(
              path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE));
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  @Override
  public DurableFile openForReading(Path path) {
    try {
      return new ChannelFile(path, FileChannel.open(path, StandardOpenOption.READ));
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  @Override
  public DurableFile openForBlocks(Path path) {
    try {
      if (Files.getFileStore(path.toAbsolutePath().getParent()).getBlockSize() > BLOCK) {
        return openOrCreate(path);
      }
      return new ChannelFile(
          path,
          FileChannel.open(
              path,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE,
              PositionalFile.directOption()));
    } catch (IOException | UnsupportedOperationException e) {
      // Not every file system knows it; one that fails otherwise fails here, too, and says why.
      return openOrCreate(path);
    }
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public List<String> list(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw FileErrors.failure("list", folder, e);
    }
  }

  @Override
  public void createFolders(Path folder) {
    Path absolute = folder.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      return;
    }
    createFolders(absolute.getParent());
    createFolder(absolute);
    forceDirectory(absolute.getParent());
  }

  @Override
  public void createFolder(Path folder) {
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      // Another rank may have been faster.
      if (!Files.isDirectory(folder)) {
        throw FileErrors.failure("make the folder", folder, e);
      }
    } catch (IOException e) {
      throw FileErrors.failure("make the folder", folder, e);
    }
  }

  @Override
  public void rename(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw FileErrors.failure("rename to " + to + " the file", from, e);
    }
  }

  @Override
  public void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw FileErrors.failure("delete", path, e);
    }
  }

  @Override
  public void forceDirectory(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw FileErrors.failure("sync the folder", directory, e);
    }
  }

  private static final class ChannelFile implements DurableFile {

    private final Path path;
    private final FileChannel channel;
    private FileHints hints;

    ChannelFile(Path path, FileChannel channel) {
      this.path = path;
      this.channel = channel;
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long size() {
      try {
        return channel.size();
      } catch (IOException e) {
        throw FileErrors.failure("read the size of", path, e);
      }
    }

    @Override
    public int read(ByteBuffer target, long position) {
      int total = 0;
      try {
        while (target.hasRemaining()) {
          int count = channel.read(target, position + total);
          if (count < 0) {
            break;
          }
          total += count;
        }
      } catch (IOException e) {
        throw FileErrors.failure("read", path, e);
      }
      return total;
    }

    @Override
    public void write(ByteBuffer source, long position) {
      try {
        while (source.hasRemaining()) {
          position += channel.write(source, position);
        }
      } catch (IOException e) {
        throw FileErrors.failure("write", path, e);
      }
    }

    @Override
    public void truncate(long size) {
      try {
        long old = channel.size();
        channel.truncate(size);
        if (size > old) {
          write(ByteBuffer.wrap(new byte[1]), size - 1);
        }
      } catch (IOException e) {
        throw FileErrors.failure("resize", path, e);
      }
    }

    @Override
    public void force() {
      try {
        channel.force(true);
      } catch (IOException e) {
        throw FileErrors.failure("sync", path, e);
      }
    }

    @Override
    public void forceData() {
      try {
        channel.force(false);
      } catch (IOException e) {
        throw FileErrors.failure("sync", path, e);
      }
    }

    @Override
    public synchronized void startWriting(long position, long length) {
      hints().start(position, length);
    }

    @Override
    public synchronized void reserve(long bytes) {
      if (bytes > 0) {
        hints().reserve(bytes);
      }
    }

    private FileHints hints() {
      if (hints == null) {
        hints = new FileHints(path);
      }
      return hints;
    }

    @Override
    public synchronized void close() {
      if (hints != null) {
        hints.close();
        hints = null;
      }
      try {
        channel.close();
      } catch (IOException e) {
        throw FileErrors.failure("close", path, e);
      }
    }
  }
}
