package dev.tandem.lmdb.index;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.Pages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/** Reads all records in parallel parts: to make their checksums, or to compare them. */
final class RecordChecksums {

  private static final int PARTS_A_THREAD = 8;
  private static final int PIECE = 1 << 30;

  private RecordChecksums() {}

  /** Looks at one record; threads call it for different ordinals. */
  @FunctionalInterface
  interface Visitor {
    void visit(long ordinal, Cursor cursor);
  }

  /** CRC-32C of key and value of every record. */
  static int[] compute(Database database, Locations locations, Progress progress) {
    int[] checksums = new int[Math.toIntExact(locations.size())];
    forEach(
        database,
        locations.size(),
        "checksums of ",
        progress,
        (ordinal, cursor) -> checksums[(int) ordinal] = of(cursor));
    return checksums;
  }

  /** CRC-32C of the current key and value. */
  static int of(Cursor cursor) {
    CRC32C crc = new CRC32C();
    crc.update(cursor.key().asByteBuffer());
    MemorySegment value = cursor.value();
    for (long at = 0; at < value.byteSize(); at += PIECE) {
      crc.update(value.asSlice(at, Math.min(PIECE, value.byteSize() - at)).asByteBuffer());
    }
    return (int) crc.getValue();
  }

  /** Visits every record, in parts by as many threads as there are processors. */
  static void forEach(
      Database database, long size, String label, Progress progress, Visitor visitor) {
    int threads = Runtime.getRuntime().availableProcessors();
    int parts = (int) Math.min(Math.max(size, 1), (long) threads * PARTS_A_THREAD);
    AtomicLong done = new AtomicLong();
    List<Future<?>> futures = new ArrayList<>();
    try (Progress.Task task = progress.start(label + database.pages().path(), size, "records");
        ExecutorService executor =
            Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("tandem-lmdb-records-", 0).factory())) {
      for (int part = 0; part < parts; part++) {
        long from = size * part / parts;
        long to = size * (part + 1) / parts;
        futures.add(
            executor.submit(
                () -> {
                  visit(database, from, to, visitor);
                  task.advanceTo(done.addAndGet(to - from));
                }));
      }
      for (Future<?> future : futures) {
        await(future, database.pages());
      }
    }
  }

  private static void visit(Database database, long from, long to, Visitor visitor) {
    Cursor cursor = database.cursor();
    for (long ordinal = from; ordinal < to; ordinal++) {
      if (ordinal == from ? !cursor.seekOrdinal(from) : !cursor.next()) {
        throw database
            .pages()
            .damaged(
                database.described() + PageFormat.DB_ENTRIES,
                "the database has fewer records than it says");
      }
      visitor.visit(ordinal, cursor);
    }
    database.pages().ensureIntact();
  }

  private static void await(Future<?> future, Pages pages) {
    try {
      future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while reading records", e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case InternalError fault -> throw pages.unreadable(fault);
        case IndexOutOfBoundsException fault -> throw pages.unreadable(fault);
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }
}
