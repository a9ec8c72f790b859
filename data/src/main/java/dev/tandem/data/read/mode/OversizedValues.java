package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Snapshot;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Values that are too large for a slot: each reader looks at them in the file by itself. They are
 * rare, so the file is mapped when the first one comes. For one thread.
 */
final class OversizedValues {

  private final Path file;
  private final Snapshot snapshot;
  private MappedData data;

  OversizedValues(Path file, Snapshot snapshot) {
    this.file = file;
    this.snapshot = snapshot;
  }

  /** The window with this byte of the file. */
  ByteBuffer view(long position) {
    if (data == null) {
      data = new MappedData(file);
    }
    return data.view(position);
  }

  /** The values used since the last call were of the snapshot. */
  void ensureIntact() {
    if (data != null) {
      snapshot.ensureIntact();
    }
  }
}
