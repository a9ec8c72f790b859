package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Snapshot;
import java.nio.file.Path;

/**
 * The baseline: a cursor over the mapping walks through the records of all readers and looks at
 * those of its own.
 */
final class CursorReading implements Reading {

  private final BatchPlan plan;
  private final int reader;
  private final Snapshot snapshot;
  private final Path file;

  CursorReading(BatchPlan plan, int reader, Snapshot snapshot, Path file) {
    this.plan = plan;
    this.reader = reader;
    this.snapshot = snapshot;
    this.file = file;
  }

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    MappedData data = new MappedData(file);
    CursorWalk walk = new CursorWalk(snapshot.main(), plan);
    Cursor cursor = walk.cursor();
    Shares shares = new Shares(plan, reader);
    while (!shares.done()) {
      long began = System.nanoTime();
      walk.to(shares.place());
      long there = System.nanoTime();
      breakdown.seek += there - began;
      for (int left = shares.left(); left > 0; left--) {
        walk.to(shares.place());
        visit(cursor, data, visitor, breakdown);
        shares.next();
      }
      snapshot.ensureIntact();
      breakdown.read += System.nanoTime() - there;
    }
  }

  private static void visit(
      Cursor cursor, MappedData data, RecordVisitor visitor, Breakdown breakdown) {
    long key = cursor.keyPosition();
    long value = cursor.valuePosition();
    int length = MappedData.length(cursor.valueLength());
    visitor.record(
        data.view(key),
        MappedData.at(key),
        cursor.keyLength(),
        data.view(value),
        MappedData.at(value),
        length);
    breakdown.records++;
    breakdown.bytesNeeded += cursor.keyLength() + length;
  }

  @Override
  public void close() {
    // The snapshot is the caller's.
  }
}
