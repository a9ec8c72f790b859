package dev.tandem.data.stage;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.StagedRecords;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.lmdb.index.TreePages;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Copies the part of a database that one rank needs: a file with holes, as long as the original,
 * with the meta pages, the tree, and the pages of the rank's records; its index; and the list of
 * those records, by which readers refuse others.
 */
public final class DatabaseStage {

  private static final int META_PAGES = 2;
  private static final int PIECE = 4 << 20;

  /**
   * What was staged.
   *
   * @param bytes copied
   * @param fileBytes of the original
   */
  public record Result(long records, long bytes, long fileBytes) {}

  private final Path source;
  private final Path target;
  private final Progress progress;

  /**
   * @param target folder of the copy; made if need be
   */
  public DatabaseStage(Path source, Path target, Progress progress) {
    this.source = source;
    this.target = target;
    this.progress = progress;
  }

  /**
   * Copies what a rank needs in the steps from one to another.
   *
   * @param plan of the whole run
   * @param end behind the last step
   */
  public Result stage(BatchPlan plan, int rank, long first, long end) {
    try (Environment environment = Environment.open(source);
        Snapshot snapshot = environment.snapshot()) {
      RecordIndex index = RecordIndex.openOrBuild(source, progress);
      Database database = snapshot.main();
      if (!index.describes(database)) {
        throw new WorkFailedException(source + " is being written to; stage it when that is done");
      }
      BitSet records = records(plan, rank, first, end);
      BitSet pages = pages(snapshot, index, records);
      Path data = copy(environment.file(), pages, snapshot.pageSize());
      snapshot.ensureIntact();
      index.save(RecordIndex.fileOf(data, Optional.empty()));
      list(
              records,
              "%d records of rank %d of %d, steps %d to %d"
                  .formatted(records.cardinality(), rank, plan.readers(), first, end - 1))
          .save(data);
      long fileBytes = (snapshot.lastPage() + 1) * snapshot.pageSize();
      return new Result(
          records.cardinality(), (long) pages.cardinality() * snapshot.pageSize(), fileBytes);
    }
  }

  /** The plan of a run over this database. */
  public static BatchPlan plan(
      Path database, int batch, int ranks, BatchPlan.Access access, Seed seed) {
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      long records = snapshot.main().size();
      long epoch = Math.ceilDiv(records, (long) batch);
      return new BatchPlan(records, batch, ranks, epoch, access, seed);
    }
  }

  private static BitSet records(BatchPlan plan, int rank, long first, long end) {
    if (plan.records() > Integer.MAX_VALUE) {
      throw new UsageException("databases of more than 2^31 records cannot be staged");
    }
    BitSet records = new BitSet((int) plan.records());
    for (long step = first; step < end; step++) {
      long from = step * plan.batch() + plan.first(rank);
      for (int i = 0; i < plan.count(rank); i++) {
        records.set((int) plan.ordinal(from + i));
      }
    }
    return records;
  }

  private static BitSet pages(Snapshot snapshot, RecordIndex index, BitSet records) {
    BitSet pages = new BitSet();
    pages.set(0, META_PAGES);
    for (Database tree : List.of(snapshot.main(), snapshot.freeList())) {
      for (long page : TreePages.of(tree)) {
        pages.set(Math.toIntExact(page));
      }
    }
    int size = snapshot.pageSize();
    for (int i = records.nextSetBit(0); i >= 0; i = records.nextSetBit(i + 1)) {
      long last = index.offset(i) + Math.max(1, index.length(i)) - 1;
      pages.set(Math.toIntExact(index.offset(i) / size), Math.toIntExact(last / size + 1));
    }
    return pages;
  }

  private Path copy(Path from, BitSet pages, int pageSize) {
    Path data = target.resolve("data.mdb");
    Path pending = target.resolve("data.mdb.pending");
    try {
      Files.createDirectories(target);
      if (Files.exists(data) && Files.isSameFile(data, from)) {
        throw new UsageException(target + " is the database itself; name another folder");
      }
      // An older copy's list must not vouch for this one's records.
      Files.deleteIfExists(StagedRecords.fileOf(data));
      try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
          FileChannel out =
              FileChannel.open(
                  pending,
                  StandardOpenOption.CREATE,
                  StandardOpenOption.TRUNCATE_EXISTING,
                  StandardOpenOption.WRITE);
          Progress.Task task = progress.start("staging", pages.cardinality(), "pages")) {
        copy(in, out, pages, pageSize, task);
        // The last byte gives the copy its length.
        byte[] end = new byte[1];
        in.read(ByteBuffer.wrap(end), in.size() - 1);
        out.write(ByteBuffer.wrap(end), in.size() - 1);
        out.force(true);
      }
      Files.move(pending, data, StandardCopyOption.REPLACE_EXISTING);
      return data;
    } catch (IOException e) {
      throw FileErrors.failure("stage to", data, e);
    }
  }

  private static void copy(
      FileChannel in, FileChannel out, BitSet pages, int pageSize, Progress.Task task)
      throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    long done = 0;
    for (int page = pages.nextSetBit(0); page >= 0; ) {
      int end = pages.nextClearBit(page);
      long position = (long) page * pageSize;
      long behind = (long) end * pageSize;
      while (position < behind) {
        int read = in.read(piece.clear().limit((int) Math.min(PIECE, behind - position)), position);
        if (read < 0) {
          break;
        }
        piece.flip();
        long at = position;
        while (piece.hasRemaining()) {
          at += out.write(piece, at);
        }
        position = at;
      }
      done += end - page;
      task.advanceTo(done);
      page = pages.nextSetBit(end);
    }
  }

  private static StagedRecords list(BitSet records, String description) {
    List<Long> from = new ArrayList<>();
    List<Long> to = new ArrayList<>();
    for (int i = records.nextSetBit(0); i >= 0; ) {
      int end = records.nextClearBit(i);
      from.add((long) i);
      to.add((long) end);
      i = records.nextSetBit(end);
    }
    return new StagedRecords(description, from, to);
  }
}
