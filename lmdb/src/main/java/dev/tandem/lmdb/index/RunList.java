package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.LongList;

/** Keeps runs until their number is known. For one thread. */
final class RunList implements Runs.Sink {

  private final LongList numbers = new LongList();
  private long runs;

  @Override
  public void run(long offset, long stride, long length, long count) {
    numbers.add(offset);
    numbers.add(stride);
    numbers.add(length);
    numbers.add(count);
    runs++;
  }

  Locations locations(long records) {
    Locations locations = Locations.of(records, runs);
    for (int i = 0; i < numbers.size(); i += 4) {
      locations.run(numbers.at(i), numbers.at(i + 1), numbers.at(i + 2), numbers.at(i + 3));
    }
    return locations;
  }
}
