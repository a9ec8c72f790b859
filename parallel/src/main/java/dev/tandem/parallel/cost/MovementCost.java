package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.MessageExchange;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.parallel.cost.PlanTraffic.Call;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import java.util.List;

/**
 * What a movement costs a rank, and the memory that it needs for what travels.
 *
 * @param source the shape of a sample of the source
 * @param samples of the ranks that have the same samples
 */
record MovementCost(Movement movement, Shape source, long samples, DType type) {

  private static final long ALIGNMENT = 64;

  /** What it does within a group. */
  Call within(TeamPosition position, PlannedGroups groups) {
    return switch (movement.collective()) {
      case IDENTITY, LOCAL -> new Call(Operation.EXCHANGE, position, 0, new Cost(0, 0));
      case EXCHANGE -> {
        long[] outgoing = toOthers(movement.outgoing(), position);
        Cost cost = MessageExchange.cost(outgoing, toOthers(movement.incoming(), position));
        yield new Call(Operation.EXCHANGE, position, cost.bytesSent(), cost);
      }
      case ALLGATHER -> groups.allgather(position, lengths(movement.incoming(), position));
      case REDUCE_SCATTER -> groups.reduceScatter(position, lengths(movement.outgoing(), position));
      case ALLREDUCE ->
          groups.allreduce(
              position, movement.source().count(samples) * source.elements() * type.bytes(), type);
    };
  }

  /** What it sends to the rank of another stage: one message for each tensor. */
  Call toStage(TeamPosition stages) {
    long bytes = bytes(movement.outgoing());
    Cost cost = new Cost(movement.outgoing().size() + movement.incoming().size(), bytes);
    return new Call(Operation.SEND, stages, bytes, cost);
  }

  /**
   * Bytes of memory for what is sent.
   *
   * @param own the rank's number in the group
   */
  long outgoingBytes(int own) {
    return switch (movement.collective()) {
      case IDENTITY, LOCAL, ALLREDUCE -> 0;
      case EXCHANGE -> alignedBytes(movement.outgoing(), own);
      // The same to every rank.
      case ALLGATHER -> bytes(movement.outgoing().stream().limit(1).toList());
      case REDUCE_SCATTER -> bytes(movement.outgoing());
    };
  }

  /**
   * Bytes of memory for what comes, where it does not come right into its place.
   *
   * @param own the rank's number in the group
   * @param result the shape of a sample of the result
   */
  long incomingBytes(int own, Shape result) {
    return switch (movement.collective()) {
      case IDENTITY, LOCAL, ALLREDUCE -> 0;
      case EXCHANGE -> alignedBytes(movement.incoming(), own);
      case ALLGATHER -> areWholeSamples(result) ? 0 : bytes(movement.incoming());
      // Of all summands of the rank's block only the sum.
      case REDUCE_SCATTER ->
          areWholeSamples(result) ? 0 : bytes(movement.incoming().stream().limit(1).toList());
    };
  }

  /** Whether each rank's part is some samples with all that the result has of them. */
  private boolean areWholeSamples(Shape result) {
    return movement.incoming().stream()
        .allMatch(
            parcel ->
                parcel.boxes().size() == 1
                    && parcel.boxes().getFirst().ranges().stream()
                            .mapToLong(Movement.Range::length)
                            .reduce(1, (a, b) -> a * b)
                        == result.elements());
  }

  private long[] toOthers(List<Parcel> parcels, TeamPosition position) {
    long[] lengths = lengths(parcels, position);
    lengths[position.rank()] = 0;
    return lengths;
  }

  private long[] lengths(List<Parcel> parcels, TeamPosition position) {
    long[] lengths = new long[position.size()];
    for (Parcel parcel : parcels) {
      lengths[parcel.peer()] = parcel.elements(samples) * type.bytes();
    }
    return lengths;
  }

  private long bytes(List<Parcel> parcels) {
    long elements = 0;
    for (Parcel parcel : parcels) {
      elements += parcel.elements(samples);
    }
    return elements * type.bytes();
  }

  /** Of what other ranks get or send. */
  private long alignedBytes(List<Parcel> parcels, int own) {
    return parcels.stream()
        .filter(parcel -> parcel.peer() != own)
        .mapToLong(parcel -> Math.ceilDiv(bytes(List.of(parcel)), ALIGNMENT) * ALIGNMENT)
        .sum();
  }
}
