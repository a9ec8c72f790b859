package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Collective;
import dev.tandem.nn.spec.Movement.Operation;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A group of one rank, and a network with an exchange of every kind in it. */
public final class OneRank implements Transfer {

  /** Every kind of exchange between two convolutions; what goes around changes nothing. */
  public static NetworkSpec network() {
    Transfer alone = new OneRank();
    Shape shape = Shape.of(4, 6, 6);
    Shape framed = Shape.of(4, 8, 8);
    List<Parcel> all = parcel(new Range(0, 4), new Range(0, 6), new Range(0, 6));
    List<Parcel> inside = parcel(new Range(0, 4), new Range(1, 6), new Range(1, 6));
    return NetworkSpec.of(
        Shape.of(3, 6, 6),
        new Convolution("conv1", 4, 3, 1, 1),
        exchange(
            "gather",
            shape,
            movement(Operation.COPY, Collective.ALLGATHER, all, all),
            movement(Operation.ADD, Collective.REDUCE_SCATTER, all, all),
            alone),
        Activation.relu("relu1"),
        exchange(
            "frame",
            framed,
            movement(Operation.COPY, Collective.EXCHANGE, all, inside),
            movement(Operation.ADD, Collective.EXCHANGE, inside, all),
            alone),
        Activation.relu("relu2"),
        exchange(
            "crop",
            shape,
            movement(Operation.COPY, Collective.LOCAL, inside, all),
            movement(Operation.COPY, Collective.LOCAL, all, inside),
            alone),
        new Convolution("conv2", 4, 3, 1, 1),
        exchange(
            "sum",
            shape,
            movement(Operation.ADD, Collective.ALLREDUCE, all, all),
            Movement.identity(SampleShare.ALL),
            alone),
        exchange(
            "share",
            shape,
            Movement.identity(SampleShare.ALL),
            movement(Operation.ADD, Collective.ALLREDUCE, all, all),
            alone),
        Activation.relu("relu3"),
        GlobalPool.average("mean"),
        new FullyConnected("scores", 5));
  }

  private static Exchange exchange(
      String name, Shape shape, Movement forward, Movement backward, Transfer transfer) {
    return new Exchange(name, Exchange.Role.WITHIN, shape, forward, backward, transfer, true);
  }

  private static Movement movement(
      Operation operation, Collective collective, List<Parcel> outgoing, List<Parcel> incoming) {
    return new Movement(
        operation, collective, 1, 0, SampleShare.ALL, SampleShare.ALL, outgoing, incoming);
  }

  private static List<Parcel> parcel(Range... ranges) {
    return List.of(new Parcel(0, List.of(new Box(SampleShare.ALL, List.of(ranges)))));
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming) {
    if (!to.isEmpty() || !from.isEmpty()) {
      throw new IllegalArgumentException("messages to itself");
    }
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    all.copyFrom(mine);
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    mine.copyFrom(all);
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {}
}
