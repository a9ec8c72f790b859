package dev.tandem.lmdb.index;

import java.util.Arrays;

/**
 * Where each record's value is, in arrays without an object a record. Immutable once filled.
 *
 * <p>{@link ByRun} is small where runs are long, {@link ByRecord} where they are not; {@link #of}
 * takes the smaller. Filled by taking runs in order.
 */
sealed interface Locations extends Runs.Sink permits Locations.ByRun, Locations.ByRecord {

  /** Bytes of memory a run and a record take. */
  int RUN_BYTES = 8 + 8 + 8 + 4;

  int RECORD_BYTES = 8 + 4;

  /** Space for so many records in so many runs, to be filled in order. */
  static Locations of(long records, long runs) {
    return runs * RUN_BYTES <= records * RECORD_BYTES || records > Integer.MAX_VALUE - 8
        ? new ByRun(records, Math.toIntExact(runs))
        : new ByRecord((int) records);
  }

  long size();

  long offset(long ordinal);

  long length(long ordinal);

  /** The greatest length; 0 without records. */
  long longest();

  /** All runs in order, as long as they can be. */
  void forEachRun(Runs.Sink sink);

  /** Bytes of memory that the arrays take. */
  long memory();

  private static long greatest(int[] lengths) {
    long greatest = 0;
    for (int length : lengths) {
      greatest = Math.max(greatest, Integer.toUnsignedLong(length));
    }
    return greatest;
  }

  /** One entry a run. */
  final class ByRun implements Locations {

    private final long records;
    private final long[] first;
    private final long[] offsets;
    private final long[] strides;
    private final int[] lengths;
    private int runs;
    private long filled;
    private int hint;

    ByRun(long records, int runs) {
      this.records = records;
      this.first = new long[runs];
      this.offsets = new long[runs];
      this.strides = new long[runs];
      this.lengths = new int[runs];
    }

    @Override
    public void run(long offset, long stride, long length, long count) {
      first[runs] = filled;
      offsets[runs] = offset;
      strides[runs] = stride;
      lengths[runs++] = (int) length;
      filled += count;
    }

    @Override
    public long size() {
      return records;
    }

    private int runOf(long ordinal) {
      // Whoever asks in order mostly asks for the same run again, or for the next. Threads may
      // overwrite each other's hint: any number of a run is a good one.
      int last = hint;
      if (has(last, ordinal)) {
        return last;
      }
      int run = last + 1 < runs && has(last + 1, ordinal) ? last + 1 : findRun(ordinal);
      hint = run;
      return run;
    }

    private boolean has(int run, long ordinal) {
      return first[run] <= ordinal && (run + 1 == runs || ordinal < first[run + 1]);
    }

    private int findRun(long ordinal) {
      int found = Arrays.binarySearch(first, 0, runs, ordinal);
      return found >= 0 ? found : -found - 2;
    }

    @Override
    public long offset(long ordinal) {
      int run = runOf(ordinal);
      return offsets[run] + strides[run] * (ordinal - first[run]);
    }

    @Override
    public long length(long ordinal) {
      return Integer.toUnsignedLong(lengths[runOf(ordinal)]);
    }

    @Override
    public long longest() {
      return greatest(lengths);
    }

    @Override
    public void forEachRun(Runs.Sink sink) {
      Runs joined = new Runs(sink);
      for (int i = 0; i < runs; i++) {
        long end = i + 1 < runs ? first[i + 1] : filled;
        joined.add(offsets[i], strides[i], Integer.toUnsignedLong(lengths[i]), end - first[i]);
      }
      joined.finish();
    }

    @Override
    public long memory() {
      return (long) RUN_BYTES * first.length;
    }
  }

  /** One entry a record. */
  final class ByRecord implements Locations {

    private final long[] offsets;
    private final int[] lengths;
    private int filled;

    ByRecord(int records) {
      this.offsets = new long[records];
      this.lengths = new int[records];
    }

    @Override
    public void run(long offset, long stride, long length, long count) {
      for (long i = 0; i < count; i++) {
        offsets[filled] = offset + stride * i;
        lengths[filled++] = (int) length;
      }
    }

    @Override
    public long size() {
      return offsets.length;
    }

    @Override
    public long offset(long ordinal) {
      return offsets[(int) ordinal];
    }

    @Override
    public long length(long ordinal) {
      return Integer.toUnsignedLong(lengths[(int) ordinal]);
    }

    @Override
    public long longest() {
      return greatest(lengths);
    }

    @Override
    public void forEachRun(Runs.Sink sink) {
      Runs joined = new Runs(sink);
      for (int i = 0; i < offsets.length; i++) {
        joined.add(offsets[i], 0, Integer.toUnsignedLong(lengths[i]), 1);
      }
      joined.finish();
    }

    @Override
    public long memory() {
      return (long) RECORD_BYTES * offsets.length;
    }
  }
}
