package dev.tandem.tune.journal;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A journal in a file, see the package. The file has room ahead of its data, so that a sync need
 * not write the file's size: zeros follow the last record.
 */
public final class JournalFile implements Journal {

  /** The name of the file in the folder of a study. */
  public static final String NAME = "study.journal";

  private static final int AHEAD = 1 << 20;

  private final DurableFile file;
  private final List<JournalRecord> waiting = new ArrayList<>();
  private ByteBuffer buffer = ByteBuffer.allocate(1 << 14);
  private long end;
  private long safe;
  private long reserved;
  private boolean unsynced;
  private List<JournalRecord> read;

  private JournalFile(DurableFile file, Recovery recovery) {
    this.file = file;
    this.end = recovery.end();
    this.safe = recovery.end();
    this.reserved = recovery.end();
    this.read = recovery.records();
  }

  /**
   * Opens a journal to add to, or makes an empty one. What was never acknowledged is cut off.
   *
   * @param notes hears of that, one line
   * @throws UsageException if the file is damaged
   */
  public static JournalFile open(DurableFiles files, Path path, Consumer<String> notes) {
    boolean fresh = !files.exists(path);
    DurableFile file = files.openOrCreate(path);
    try {
      Recovery recovery = recover(file);
      requireWhole(path, recovery);
      if (recovery.behind()) {
        notes.accept(
            "%s: %,d records are whole; what follows was never acknowledged and is cut off"
                .formatted(path, recovery.records().size()));
      }
      if (file.size() > recovery.end()) {
        file.truncate(recovery.end());
        file.force();
      }
      if (fresh) {
        files.forceDirectory(path.toAbsolutePath().getParent());
      }
      return new JournalFile(file, recovery);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The records of a journal that another process may be writing. */
  public static List<JournalRecord> readOnly(DurableFiles files, Path path) {
    try (DurableFile file = files.openForReading(path)) {
      Recovery recovery = recover(file);
      requireWhole(path, recovery);
      return recovery.records();
    }
  }

  private static Recovery recover(DurableFile file) {
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.size()));
    int size = file.read(all, 0);
    return Recovery.of(all.array(), size);
  }

  private static void requireWhole(Path path, Recovery recovery) {
    if (recovery.damaged()) {
      throw new UsageException(
          "%s is damaged at byte %d, after record %d; ./tandem tune verify --repair writes the whole records to a new file"
              .formatted(path, recovery.end(), recovery.records().size()));
    }
  }

  @Override
  public List<JournalRecord> read() {
    return read;
  }

  @Override
  public void append(JournalRecord record) {
    waiting.add(record);
  }

  /** Hands what was added to the system; a failed write leaves everything to be written again. */
  private void write() {
    if (waiting.isEmpty()) {
      return;
    }
    buffer.clear();
    for (int i = 0; i < waiting.size(); i++) {
      byte[] line = i == 0 ? RecordLine.first(waiting.get(i), safe) : RecordLine.of(waiting.get(i));
      if (buffer.remaining() < line.length) {
        buffer = ByteBuffer.allocate(2 * (buffer.capacity() + line.length)).put(buffer.flip());
      }
      buffer.put(line);
    }
    buffer.flip();
    int length = buffer.remaining();
    if (end + length > reserved) {
      reserved = end + length + AHEAD;
      file.reserve(reserved);
    }
    file.write(buffer, end);
    end += length;
    waiting.clear();
    unsynced = true;
  }

  /**
   * Returns when all that was added is safe.
   *
   * @throws WorkFailedException if the disk does not take it, such as because it is full; what was
   *     added is kept, and the next call tries again
   */
  @Override
  public void sync() {
    write();
    if (unsynced) {
      file.forceData();
      safe = end;
      unsynced = false;
    }
  }

  /** How many records the disk has not taken yet. */
  public int unwritten() {
    return waiting.size();
  }

  @Override
  public void close() {
    try {
      sync();
      if (file.size() > end) {
        file.truncate(end);
        file.force();
      }
    } finally {
      file.close();
    }
  }
}
