package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.comm.collective.Broadcast;
import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.Scatter;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RegionRows;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.Position;
import dev.tandem.train.InputPart.Pieces;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Batches that the first rank of a group reads and hands to the others: to each the samples, and
 * the region of them, that its network takes, and all targets. The batch after the one that was
 * taken is on its way meanwhile.
 *
 * <p>Bytes that travel for a batch of n samples: a header of {@value #HEADER_BYTES}, the targets,
 * both by broadcast; the inputs by broadcast if every rank takes all of them, else by scatter.
 */
final class HandedBatches implements BatchSource {

  /** Numbers before a batch: position, samples, samples of all ranks, samples left out. */
  private static final int HEADER = 5;

  static final long HEADER_BYTES = HEADER * (long) Long.BYTES;

  /** In the place of the number of samples: they could not be read. */
  private static final long FAILED = -1;

  private static final int ELEMENT_BYTES = Float.BYTES;

  /** A batch on its way, and then in use. */
  private static final class Staged implements AutoCloseable {

    private final KeptMemory header = new KeptMemory();
    private final KeptMemory inputs = new KeptMemory();
    private final KeptMemory targets = new KeptMemory();
    private Batch batch;
    private Handle handle;

    @Override
    public void close() {
      header.close();
      inputs.close();
      targets.close();
    }
  }

  private final Communicator group;
  private final List<InputPart> parts;
  private final boolean whole;
  private final List<RegionRows> rows;
  private final Optional<BatchSource> reads;
  private final long targetBytes;
  private final Plan plan;
  private final Pieces pieces;
  private final KeptMemory packed = new KeptMemory();
  private Staged coming = new Staged();
  private Staged lent = new Staged();
  private long given;
  private Position position;

  /**
   * The batches of one rank.
   *
   * @param reads in the first rank, whole samples; closed with this
   * @param targetBytes of a sample
   */
  HandedBatches(
      Communicator group,
      List<InputPart> parts,
      Optional<BatchSource> reads,
      long targetBytes,
      Plan plan,
      Pieces pieces) {
    this.group = group;
    this.parts = parts;
    this.reads = reads;
    this.targetBytes = targetBytes;
    this.plan = plan;
    this.pieces = pieces;
    whole = parts.stream().allMatch(InputPart::isWhole);
    rows = parts.stream().map(part -> new RegionRows(part.region())).toList();
    position = plan.from();
    stage();
  }

  /** The batch after those given, if there is one, begins to travel. */
  private void stage() {
    Staged into = coming;
    into.handle = given < plan.steps() ? group.start(collectives -> hand(collectives, into)) : null;
  }

  @Override
  public boolean hasNext() {
    return given < plan.steps();
  }

  @Override
  public Batch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the loader ends after step " + position.step());
    }
    coming.handle.await();
    Staged ready = coming;
    coming = lent;
    lent = ready;
    given++;
    position = nextPosition(ready.batch);
    stage();
    return ready.batch;
  }

  private static Position nextPosition(Batch batch) {
    return new Position(
        batch.position().step() + 1, batch.position().sample() + batch.globalCount());
  }

  /** What travels for one batch; called by the group's thread. */
  private void hand(Collectives collectives, Staged into) {
    MemorySegment header = into.header.of(HEADER_BYTES);
    Optional<Batch> read = read(collectives, header);
    collectives.broadcast(header, 0);
    long count = number(header, 2);
    if (count == FAILED) {
      throw new WorkFailedException("the rank that reads for this one could not: see its message");
    }
    MemorySegment targets = into.targets.of(count * targetBytes);
    read.ifPresent(batch -> targets.copyFrom(batch.labels()));
    if (count > 0) {
      collectives.broadcast(targets, 0);
    }
    Batch frame = frame(header, targets);
    MemorySegment inputs =
        into.inputs.of(parts.get(group.rank()).elements(frame, pieces) * ELEMENT_BYTES);
    into.batch = frame.withImages(inputs);
    if (whole) {
      read.ifPresent(batch -> inputs.copyFrom(batch.images()));
      if (count > 0) {
        collectives.broadcast(inputs, 0);
      }
    } else {
      long[] lengths = lengths(parts, frame, pieces);
      MemorySegment all = read.map(batch -> pack(batch, lengths)).orElse(MemorySegment.NULL);
      collectives.scatter(all, inputs, lengths, 0);
    }
  }

  private Optional<Batch> read(Collectives collectives, MemorySegment header) {
    if (reads.isEmpty()) {
      return Optional.empty();
    }
    try {
      Batch batch = reads.get().next();
      long[] numbers = {
        batch.position().step(),
        batch.position().sample(),
        batch.count(),
        batch.globalCount(),
        batch.skipped()
      };
      MemorySegment.copy(numbers, 0, header, ValueLayout.JAVA_LONG, 0, HEADER);
      return Optional.of(batch);
    } catch (TandemException e) {
      header.setAtIndex(ValueLayout.JAVA_LONG, 2, FAILED);
      collectives.broadcast(header, 0);
      throw e;
    }
  }

  private static long number(MemorySegment header, int index) {
    return header.getAtIndex(ValueLayout.JAVA_LONG, index);
  }

  private static Batch frame(MemorySegment header, MemorySegment targets) {
    return new Batch(
        new Position(number(header, 0), number(header, 1)),
        MemorySegment.NULL,
        targets,
        (int) number(header, 2),
        (int) number(header, 3),
        (int) number(header, 4));
  }

  private static long[] lengths(List<InputPart> parts, Batch batch, Pieces pieces) {
    return parts.stream().mapToLong(part -> part.elements(batch, pieces) * ELEMENT_BYTES).toArray();
  }

  /** The inputs of every rank, one after the other. */
  private MemorySegment pack(Batch batch, long[] lengths) {
    long bytes = 0;
    for (long length : lengths) {
      bytes += length;
    }
    MemorySegment all = packed.of(bytes);
    long at = 0;
    for (int rank = 0; rank < lengths.length; rank++) {
      long sample = rows.get(rank).whole() * ELEMENT_BYTES;
      long local = rows.get(rank).local() * ELEMENT_BYTES;
      for (InputPart.Run run : parts.get(rank).runs(batch, pieces)) {
        for (int i = run.from(); i < run.from() + run.count(); i++) {
          rows.get(rank)
              .copy(
                  batch.images().asSlice(i * sample, sample),
                  all.asSlice(at, local),
                  ELEMENT_BYTES);
          at += local;
        }
      }
    }
    return all;
  }

  /** What a batch costs a rank, as {@code comm} counts it. */
  static Cost cost(
      TeamPosition rank, List<InputPart> parts, long targetBytes, Batch batch, Pieces pieces) {
    Cost header = Broadcast.cost(rank, 0, HEADER_BYTES);
    if (batch.count() == 0) {
      return header;
    }
    long[] lengths = lengths(parts, batch, pieces);
    return header
        .then(Broadcast.cost(rank, 0, batch.count() * targetBytes))
        .then(
            parts.stream().allMatch(InputPart::isWhole)
                ? Broadcast.cost(rank, 0, lengths[0])
                : Scatter.cost(rank, lengths, 0));
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public int ready() {
    return coming.handle != null && coming.handle.test() ? 1 : 0;
  }

  @Override
  public StallReport stalls() {
    return reads.map(BatchSource::stalls).orElse(StallReport.NONE);
  }

  /** Waits for the batch that is on its way, which all ranks of the group have begun. */
  @Override
  public void close() {
    try {
      if (coming.handle != null) {
        coming.handle.await();
      }
    } catch (TandemException e) {
      // It came out of next, or will not be asked for.
    } finally {
      reads.ifPresent(BatchSource::close);
      coming.close();
      lent.close();
      packed.close();
    }
  }
}
