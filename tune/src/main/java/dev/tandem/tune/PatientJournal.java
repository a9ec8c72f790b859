package dev.tandem.tune;

import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.journal.JournalRecord;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A journal whose disk may be full for a while: that delays the study, and does not lose what it
 * found. One thread.
 */
final class PatientJournal {

  /** How long results are kept for a disk that does not take them, when nothing runs any more. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Journal journal;
  private final StudyWatcher watcher;
  private boolean diskFull;

  PatientJournal(Journal journal, StudyWatcher watcher) {
    this.journal = journal;
    this.watcher = watcher;
  }

  void append(JournalRecord record) {
    journal.append(record);
  }

  /** Makes records safe, if the disk takes them. */
  void sync() {
    try {
      journal.sync();
      if (diskFull) {
        watcher.note("the journal is written again");
        diskFull = false;
      }
    } catch (WorkFailedException e) {
      if (!diskFull) {
        watcher.note(e.getMessage() + "; no new trials start, and this is tried again");
        diskFull = true;
      }
    }
  }

  boolean diskFull() {
    return diskFull;
  }

  /** Makes all records safe, or fails. */
  void finish() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    sync();
    while (diskFull && System.nanoTime() < deadline && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(1_000_000_000);
      sync();
    }
    journal.sync();
  }
}
