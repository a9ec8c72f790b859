package dev.tandem.data.source;

import dev.tandem.core.Ranges;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.order.Permutation;
import java.util.Arrays;

/**
 * The records of another source that are for training, or those that are for tests, in their order.
 * Which ones depends on the seed and the number of records alone. Owns the other source.
 */
final class SplitSource implements RecordSource {

  private final RecordSource base;
  private final Split half;

  /** Ordinals of the records for tests, in order. */
  private final long[] test;

  /** Takes the source over. */
  SplitSource(RecordSource base, Split half, double fraction, Seed seed) {
    this.base = base;
    this.half = half;
    int count = Math.toIntExact(SourceFormat.testCount(base.size(), fraction));
    if (count == 0) {
      throw new UsageException(
          "%d records cannot be split into training and test data: set data.test"
              .formatted(base.size()));
    }
    Permutation order = new Permutation(seed.derive("split"), base.size());
    test = new long[count];
    Arrays.setAll(test, order::at);
    Arrays.sort(test);
  }

  @Override
  public long size() {
    return switch (half) {
      case TRAIN -> base.size() - test.length;
      case TEST -> test.length;
    };
  }

  /** The ordinal in the other source. */
  private long ordinal(long own) {
    if (own < 0 || own >= size()) {
      throw new IndexOutOfBoundsException("record " + own + " of " + size());
    }
    if (half == Split.TEST) {
      return test[(int) own];
    }
    // Before test[i] there are test[i] - i records for training: count the tests to pass.
    int low = 0;
    int high = test.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (test[middle] - middle <= own) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return own + low;
  }

  @Override
  public DataRecord record(long ordinal) {
    return base.record(ordinal(ordinal));
  }

  @Override
  public long fetchBytes() {
    return base.fetchBytes();
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    return base.fetch(Arrays.stream(ordinals).map(this::ordinal).toArray());
  }

  @Override
  public boolean readsParts() {
    return base.readsParts();
  }

  @Override
  public RecordBlock fetch(long[] ordinals, Ranges parts) {
    return base.fetch(Arrays.stream(ordinals).map(this::ordinal).toArray(), parts);
  }

  @Override
  public void close() {
    base.close();
  }
}
