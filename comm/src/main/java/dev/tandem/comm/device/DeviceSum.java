package dev.tandem.comm.device;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.DeviceMemory.DirectSum;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * Sums parts of the memory of devices over ranks, part by part, while the devices go on computing.
 * All ranks make one together, submit the same parts in the same order, and {@link #await} once for
 * each step. The sums have the same bits on all ranks.
 *
 * <p>Which way parts take: where every rank has a device of its own and these can sum by
 * themselves, they do. Ranks of one host copy their parts into memory that they share, and each
 * device adds those of all ranks, in their order. Else parts go to the host, are summed there by
 * {@link Communicator#allreduce}, and back.
 *
 * <p>{@link #submit} and {@link #await} are called by the thread that computes; a thread of this
 * moves what was submitted. Memory: the device's is borrowed, the host's belongs to this.
 */
public final class DeviceSum implements AutoCloseable {

  /** Parts of a step are read by other ranks while those of the next are written. */
  private static final int TURNS = 2;

  private static final long PAGE = 4096;
  private static final Part END = new Part(0, 0, 0, null);

  /** A part of the memory on its way. */
  private record Part(long offset, long bytes, int turn, DeviceMemory.Copy copy) {}

  private final Communicator ranks;
  private final DeviceMemory memory;
  private final Optional<DirectSum> direct;
  private final Optional<HostArea> shared;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment host;
  private final long size;
  private final BlockingQueue<Part> queue = new LinkedBlockingQueue<>();
  private final Semaphore moved = new Semaphore(0);
  private final Thread mover;
  private volatile RuntimeException failure;
  private int turn;
  private int underWay;

  /**
   * Sums over these ranks, which are borrowed to form a group of its own.
   *
   * @param memory of the same size on all ranks
   */
  public DeviceSum(Communicator everyone, DeviceMemory memory) {
    this.memory = memory;
    ranks = everyone.group(IntStream.range(0, everyone.size()).toArray());
    size = Math.ceilDiv(memory.bytes(), PAGE) * PAGE;
    direct = devicesApart() ? memory.direct(ranks) : Optional.empty();
    boolean oneHost = ranks.topology().hosts() == 1;
    shared =
        direct.isEmpty() && oneHost
            ? HostArea.share(ranks, TURNS * size * ranks.size())
            : Optional.empty();
    host =
        direct.isPresent()
            ? MemorySegment.NULL
            : shared.map(HostArea::memory).orElseGet(() -> arena.allocate(TURNS * size, PAGE));
    if (direct.isEmpty()) {
      memory.pin(host);
    }
    mover =
        Thread.ofPlatform().daemon().name("tandem-device-sum-" + everyone.rank()).start(this::move);
  }

  /** Whether no two ranks have the same device. */
  private boolean devicesApart() {
    String name = ranks.topology().names().get(ranks.rank()) + " " + memory.device();
    long[] all = new long[ranks.size()];
    long[] own = {name.hashCode()};
    ranks.allgather(MemorySegment.ofArray(own), MemorySegment.ofArray(all), lengths());
    return Arrays.stream(all).distinct().count() == ranks.size();
  }

  private long[] lengths() {
    long[] lengths = new long[ranks.size()];
    Arrays.fill(lengths, Long.BYTES);
    return lengths;
  }

  /** Which way parts take, for a person. */
  public String way() {
    return direct.isPresent()
        ? "between devices"
        : shared.isPresent() ? "shared memory, added by the device" : "the host";
  }

  /** A part is computed, or will be by what the device was given so far. */
  public void submit(long offset, long bytes) {
    if (direct.isPresent()) {
      direct.get().sum(offset, bytes);
      return;
    }
    MemorySegment place = place(ranks.rank(), turn).asSlice(offset, bytes);
    underWay++;
    queue.add(new Part(offset, bytes, turn, memory.copyOut(offset, place)));
  }

  /** Where a rank's parts are in a step. */
  private MemorySegment place(int rank, int ofTurn) {
    long at = shared.isPresent() ? (long) rank * TURNS + ofTurn : ofTurn;
    return host.asSlice(at * size, size);
  }

  /** What is computed from now on sees the sums of all parts. */
  public void await() {
    moved.acquireUninterruptibly(underWay);
    underWay = 0;
    turn = (turn + 1) % TURNS;
    if (failure != null) {
      throw failure;
    }
    memory.join();
  }

  private void move() {
    while (true) {
      try {
        Part part = queue.take();
        if (part.equals(END)) {
          return;
        }
        if (failure == null) {
          sum(part);
        }
      } catch (RuntimeException e) {
        failure = e;
      } catch (InterruptedException e) {
        failure = new WorkFailedException("interrupted while gradients were summed", e);
      }
      moved.release();
    }
  }

  private void sum(Part part) {
    part.copy.await();
    if (shared.isEmpty()) {
      MemorySegment own = place(ranks.rank(), part.turn).asSlice(part.offset, part.bytes);
      ranks.allreduce(own, DType.FLOAT32, ReduceOp.SUM);
      memory.copyIn(part.offset, own);
      return;
    }
    ranks.barrier(); // the parts of all ranks are there
    List<MemorySegment> parts = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      parts.add(place(rank, part.turn).asSlice(part.offset, part.bytes));
    }
    memory.sum(part.offset, parts, ranks.rank());
  }

  @Override
  public void close() {
    queue.add(END);
    try {
      mover.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    direct.ifPresent(DirectSum::close);
    if (direct.isEmpty()) {
      memory.unpin(host);
    }
    shared.ifPresent(HostArea::close);
    arena.close();
    ranks.close();
  }
}
