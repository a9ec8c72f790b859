package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;

/**
 * A cursor that goes to places of a plan: step by step through the records in between, as LMDB's
 * users do, or by ordinal where the order is shuffled. For one thread.
 */
final class CursorWalk {

  private final BatchPlan plan;
  private final Cursor cursor;

  /** The ordinal under the cursor, or -1. */
  private long current = -1;

  CursorWalk(Database database, BatchPlan plan) {
    this.plan = plan;
    this.cursor = database.cursor();
  }

  Cursor cursor() {
    return cursor;
  }

  /** Takes a position that was handed over. */
  void standOn(long ordinal) {
    current = ordinal;
  }

  /** Goes to a place, through all records on the way. */
  void to(long place) {
    long ordinal = plan.ordinal(place);
    if (!plan.strided()) {
      require(cursor.seekOrdinal(ordinal));
      current = ordinal;
      return;
    }
    while (current != ordinal) {
      if (!cursor.next()) {
        require(cursor.first());
        current = 0;
      } else {
        current++;
      }
    }
  }

  private void require(boolean found) {
    if (!found) {
      throw new IllegalStateException(
          "the database has fewer than the %d records it had".formatted(plan.records()));
    }
  }
}
