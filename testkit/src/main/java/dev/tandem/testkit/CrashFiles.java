package dev.tandem.testkit;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Files that live in memory, remember every write, and can tell what a power cut would have left on
 * the disk. Use it in place of {@link DurableFiles#system()}, run the code under test, then ask for
 * the disk after a cut at any point of {@link #length()}, as often as wanted.
 *
 * <p>What a cut leaves, in the spirit of real disks:
 *
 * <ul>
 *   <li>Bytes that a force has returned for are there, and names that a directory force has.
 *   <li>Each sector of 512 bytes written since survives or not, whatever became of others: writes
 *       are lost, reordered and torn, but a sector is never half old and half new; except that the
 *       write under way when the power went is cut at a byte.
 *   <li>A file that grew may have its new size with zeros for bytes, or its old size.
 *   <li>Of names made, changed and removed since the last directory force, the first few survive.
 * </ul>
 *
 * <p>Safe for several threads; the order of their writes is the order of their calls.
 */
public final class CrashFiles implements DurableFiles {

  private static final int SECTOR = 512;

  /** What a disk holds after a cut: whole files by path. */
  public record Disk(Map<Path, byte[]> files) {

    /** Copies one file to where other programs can open it. */
    public void copy(Path file, Path to) {
      try {
        Files.write(to, files.get(key(file)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Bytes of a file, or null if it is not there. */
    public byte[] bytes(Path file) {
      return files.get(key(file));
    }
  }

  /** The content of a file, which keeps its identity when it is renamed. */
  private static final class Content {
    byte[] bytes = {};
    int size;

    Content copy() {
      Content copy = new Content();
      copy.bytes = Arrays.copyOf(bytes, size);
      copy.size = size;
      return copy;
    }

    void write(byte[] data, int from, int length, long position) {
      int end = Math.toIntExact(position + length);
      grow(end);
      System.arraycopy(data, from, bytes, (int) position, length);
    }

    void grow(int end) {
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
      }
      size = Math.max(size, end);
    }

    void resize(int newSize) {
      if (newSize < size) {
        Arrays.fill(bytes, newSize, size, (byte) 0);
        size = newSize;
      } else {
        grow(newSize);
      }
    }
  }

  private sealed interface Event {

    /** How many points there are to cut at within this event. */
    default long length() {
      return 1;
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // a log entry, never compared
  private record Write(Content file, long position, byte[] data) implements Event {
    @Override
    public long length() {
      return Math.max(1, data.length);
    }
  }

  private record Resize(Content file, int size) implements Event {}

  private record Force(Content file) implements Event {}

  private record Create(Path name, Content file) implements Event {}

  private record Rename(Path from, Path to) implements Event {}

  private record Delete(Path name) implements Event {}

  private record ForceDirectory(Path directory) implements Event {}

  private final Map<Path, Content> initialNames = new LinkedHashMap<>();
  private final Map<Content, Content> initialContents = new LinkedHashMap<>();
  private final Map<Path, Content> names = new LinkedHashMap<>();
  private final List<Event> log = new ArrayList<>();
  private long length;

  /** An empty disk. */
  public CrashFiles() {}

  /** A disk as a power cut left it, all of it durable. */
  public CrashFiles(Disk disk) {
    disk.files.forEach(
        (path, bytes) -> {
          Content content = new Content();
          content.write(bytes, 0, bytes.length, 0);
          initialContents.put(content, content.copy());
          initialNames.put(path, content);
          names.put(path, content);
        });
  }

  /** How many points there are to cut at: a write has one for each byte, other events have one. */
  public synchronized long length() {
    return length;
  }

  /** The disk after the power went at this point, 0 for before everything. */
  public synchronized Disk cut(long point, SplittableRandom random) {
    return new Replay(random).cut(point);
  }

  private synchronized void record(Event event) {
    log.add(event);
    length += event.length();
  }

  private static Path key(Path path) {
    return path.toAbsolutePath().normalize();
  }

  @Override
  public synchronized DurableFile openOrCreate(Path path) {
    Content content = names.get(key(path));
    if (content == null) {
      content = new Content();
      names.put(key(path), content);
      record(new Create(key(path), content));
    }
    return new Handle(path, content);
  }

  @Override
  public synchronized DurableFile openForReading(Path path) {
    Content content = names.get(key(path));
    if (content == null) {
      throw new WorkFailedException("cannot open " + path + ": no such file or folder");
    }
    return new Handle(path, content);
  }

  @Override
  public synchronized boolean exists(Path path) {
    return names.containsKey(key(path));
  }

  /** Folders are where files are. */
  @Override
  public synchronized List<String> list(Path folder) {
    Path parent = key(folder);
    return names.keySet().stream()
        .filter(path -> path.startsWith(parent) && !path.equals(parent))
        .map(path -> parent.relativize(path).getName(0).toString())
        .distinct()
        .sorted()
        .toList();
  }

  @Override
  public void createFolders(Path folder) {}

  /** A folder is lost with the files in it: a cut keeps names of files, wherever they are. */
  @Override
  public void createFolder(Path folder) {}

  @Override
  public synchronized void rename(Path from, Path to) {
    Content content = names.remove(key(from));
    if (content == null) {
      throw new WorkFailedException("cannot rename " + from + ": no such file or folder");
    }
    names.put(key(to), content);
    record(new Rename(key(from), key(to)));
  }

  @Override
  public synchronized void delete(Path path) {
    if (names.remove(key(path)) != null) {
      record(new Delete(key(path)));
    }
  }

  @Override
  public synchronized void forceDirectory(Path directory) {
    record(new ForceDirectory(key(directory)));
  }

  /** Runs the log up to a cut, keeping what is durable apart from what may be lost. */
  private final class Replay {
    private final SplittableRandom random;
    private final double survival;
    private final Map<Path, Content> durableNames = new LinkedHashMap<>(initialNames);
    private final List<Event> pendingNames = new ArrayList<>();
    private final Map<Content, Content> durable = new LinkedHashMap<>();
    private final Map<Content, List<Event>> pending = new LinkedHashMap<>();

    Replay(SplittableRandom random) {
      this.random = random;
      // All lost and all kept are worth as much as every mixture.
      this.survival =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> 1;
            default -> random.nextDouble();
          };
      initialContents.forEach((file, content) -> durable.put(file, content.copy()));
    }

    Disk cut(long point) {
      long left = point;
      for (Event event : log) {
        if (left <= 0) {
          break;
        }
        apply(event, left);
        left -= event.length();
      }
      settle();
      Map<Path, byte[]> files = new LinkedHashMap<>();
      durableNames.forEach(
          (path, content) -> {
            Content found = durable.getOrDefault(content, new Content());
            files.put(path, Arrays.copyOf(found.bytes, found.size));
          });
      return new Disk(files);
    }

    private void apply(Event event, long left) {
      switch (event) {
        case Write write -> {
          byte[] data =
              left < write.data.length ? Arrays.copyOf(write.data, (int) left) : write.data;
          unsynced(write.file).add(new Write(write.file, write.position, data));
        }
        case Resize resize -> unsynced(resize.file).add(resize);
        case Force force -> {
          Content content = durable.computeIfAbsent(force.file, f -> new Content());
          for (Event old : unsynced(force.file)) {
            keep(content, old);
          }
          pending.remove(force.file);
        }
        case Create create -> pendingNames.add(create);
        case Rename rename -> pendingNames.add(rename);
        case Delete delete -> pendingNames.add(delete);
        case ForceDirectory force -> {
          List<Event> others = new ArrayList<>();
          for (Event old : pendingNames) {
            if (isIn(old, force.directory)) {
              keepName(old);
            } else {
              others.add(old);
            }
          }
          pendingNames.clear();
          pendingNames.addAll(others);
        }
      }
    }

    private List<Event> unsynced(Content file) {
      return pending.computeIfAbsent(file, f -> new ArrayList<>());
    }

    private static void keep(Content content, Event event) {
      if (event instanceof Write write) {
        content.write(write.data, 0, write.data.length, write.position);
      } else if (event instanceof Resize resize) {
        content.resize(resize.size);
      }
    }

    private static boolean isIn(Event event, Path directory) {
      Path name =
          switch (event) {
            case Create create -> create.name;
            case Rename rename -> rename.to;
            case Delete delete -> delete.name;
            default -> throw new AssertionError(event);
          };
      return directory.equals(name.getParent());
    }

    private void keepName(Event event) {
      switch (event) {
        case Create create -> durableNames.put(create.name, create.file);
        case Rename rename -> {
          Content content = durableNames.remove(rename.from);
          if (content != null) {
            durableNames.put(rename.to, content);
          }
        }
        case Delete delete -> durableNames.remove(delete.name);
        default -> throw new AssertionError(event);
      }
    }

    /** Lets chance decide about all that was under way. */
    private void settle() {
      pending.forEach(
          (file, events) -> {
            Content content = durable.computeIfAbsent(file, f -> new Content());
            int largest = content.size;
            for (Event event : events) {
              if (event instanceof Write write) {
                largest = Math.max(largest, (int) write.position + write.data.length);
                keepSectors(content, write);
              } else if (survives()) {
                keep(content, event);
              }
            }
            if (random.nextBoolean()) {
              content.grow(largest);
            }
          });
      int kept = survives() ? pendingNames.size() : random.nextInt(pendingNames.size() + 1);
      pendingNames.subList(0, kept).forEach(this::keepName);
    }

    private void keepSectors(Content content, Write write) {
      int from = 0;
      while (from < write.data.length) {
        long position = write.position + from;
        int part = (int) Math.min(write.data.length - from, SECTOR - position % SECTOR);
        if (survives()) {
          content.write(write.data, from, part, position);
        }
        from += part;
      }
    }

    private boolean survives() {
      return random.nextDouble() < survival;
    }
  }

  private final class Handle implements DurableFile {
    private final Path path;
    private final Content content;

    Handle(Path path, Content content) {
      this.path = path;
      this.content = content;
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long size() {
      synchronized (CrashFiles.this) {
        return content.size;
      }
    }

    @Override
    public int read(ByteBuffer target, long position) {
      synchronized (CrashFiles.this) {
        int count = (int) Math.max(0, Math.min(target.remaining(), content.size - position));
        target.put(content.bytes, (int) Math.min(position, content.size), count);
        return count;
      }
    }

    @Override
    public void write(ByteBuffer source, long position) {
      byte[] data = new byte[source.remaining()];
      source.get(data);
      synchronized (CrashFiles.this) {
        content.write(data, 0, data.length, position);
        record(new Write(content, position, data));
      }
    }

    @Override
    public void truncate(long size) {
      synchronized (CrashFiles.this) {
        content.resize(Math.toIntExact(size));
        record(new Resize(content, Math.toIntExact(size)));
      }
    }

    @Override
    public void force() {
      record(new Force(content));
    }

    @Override
    public void close() {}
  }
}
