package dev.tandem.lmdb.page;

import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;

/**
 * A writer has reused pages of a snapshot that no reader slot protected: what was read since the
 * last check may be wrong. Take a new snapshot and read again.
 */
public final class SnapshotOverwrittenException extends WorkFailedException {

  private static final long serialVersionUID = 1L;

  SnapshotOverwrittenException(Path file, long transaction) {
    super(
        "the snapshot of transaction "
            + transaction
            + " of "
            + file
            + " was overwritten by a writer; take a new snapshot and read again");
  }
}
