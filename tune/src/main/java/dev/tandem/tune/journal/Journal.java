package dev.tandem.tune.journal;

import java.util.List;

/** Records of a study that outlive its driver, or not. One thread at a time. */
public interface Journal extends AutoCloseable {

  /** What is in it, from the beginning. */
  List<JournalRecord> read();

  /** Adds a record; it may be lost until {@link #sync} has returned. */
  void append(JournalRecord record);

  /** Returns when all that was added is safe. */
  void sync();

  /** Syncs what was added, and closes. */
  @Override
  void close();

  /** A journal that forgets: for studies in memory, and to measure what a real one costs. */
  static Journal none() {
    return new Journal() {
      @Override
      public List<JournalRecord> read() {
        return List.of();
      }

      @Override
      public void append(JournalRecord record) {}

      @Override
      public void sync() {}

      @Override
      public void close() {}
    };
  }
}
