package dev.tandem.data.read;

import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** The ways in which records lie in a file that readers must cope with. */
enum Layout {
  /** One-page values of many commits: later ones fall into freed pages, so offsets go backward. */
  COMMITTED(4096, 700, 50, 3083, 3083),
  /** Small values, inside the leaves. */
  IN_LEAVES(4096, 900, 300, 0, 300),
  /** Anything from nothing to several pages, added in random order. */
  VARIABLE(4096, 400, 60, 0, 20_000),
  /** Values of which a few are larger than what is usually handed on at once. */
  HUGE_AMONG_SMALL(4096, 200, 100, 10, 4000),
  /** Keys that count, so that the index has them. */
  NUMBERED(4096, 700, 50, 0, 6000),
  /** Fewer records than a batch has. */
  TINY(4096, 3, 1, 100, 5000),
  ONE_RECORD(4096, 1, 1, 3000, 3000),
  LARGE_PAGES(16_384, 300, 40, 0, 40_000),
  DUPLICATES(4096, 600, 150, 1, 200);

  private final int pageSize;
  private final int records;
  private final int commitEvery;
  private final int least;
  private final int most;

  Layout(int pageSize, int records, int commitEvery, int least, int most) {
    this.pageSize = pageSize;
    this.records = records;
    this.commitEvery = commitEvery;
    this.least = least;
    this.most = most;
  }

  void write(Path folder, SplittableRandom random) {
    WriterOptions options = WriterOptions.DEFAULT.withPageSize(pageSize).withSync(false);
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder, options)) {
      for (int from = 0; from < records; from += commitEvery) {
        try (WriteTransaction transaction = writer.begin()) {
          add(transaction, from, Math.min(records, from + commitEvery), random);
          transaction.commit();
        }
      }
    }
  }

  private void add(WriteTransaction transaction, int from, int to, SplittableRandom random) {
    if (this == DUPLICATES) {
      WriteDatabase database = transaction.main(DatabaseFlags.DUP_SORT);
      for (int i = from; i < to; i++) {
        // Key 0 gets a tree of duplicates of its own, others a sub-page or a single value.
        int key = random.nextInt(3) == 0 ? 0 : random.nextInt(150);
        database.putDuplicate(key(key), value(random));
      }
      return;
    }
    WriteDatabase database = transaction.main();
    for (int i = from; i < to; i++) {
      int key = this == VARIABLE ? i * 7919 % records : i;
      byte[] value =
          this == HUGE_AMONG_SMALL && i % 90 == 40 ? new byte[3_000_000 + i] : value(random);
      database.put(key(key), value);
    }
  }

  private byte[] key(int number) {
    String text =
        this == NUMBERED
            ? "%04d".formatted(997 + number)
            : "%05d".formatted(number) + "x".repeat(number % 11);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] value(SplittableRandom random) {
    byte[] value = new byte[random.nextInt(least, most + 1)];
    random.nextBytes(value);
    return value;
  }
}
