package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out one movement with the engine's copies. What travels is packed box by box, each in the
 * engine's fast order, so that both sides agree whatever the order of their tensors is; where a
 * tensor's own memory is just that, it travels as it is.
 */
final class MovementRun {

  private final String layer;
  private final Movement movement;
  private final Transfer transfer;
  private final Shape shape;
  private final Placement placement;
  private final ScalarType type;
  private final DType dtype;
  private final Workspace workspace;
  private final boolean accelerated;

  /**
   * A movement of a layer.
   *
   * @param shape of a sample of the result; null if this rank gets none
   */
  MovementRun(Exchange layer, Movement movement, Shape shape, LayerTensors tensors) {
    this.layer = layer.name();
    this.movement = movement;
    this.transfer = tensors.transferTime().measured(layer.transfer());
    this.shape = shape;
    type = tensors.computing();
    dtype =
        switch (type) {
          case FLOAT -> DType.FLOAT32;
          case DOUBLE -> DType.FLOAT64;
          case BFLOAT16 -> DType.BFLOAT16;
          case BYTE, SHORT, INT, LONG, HALF, BOOL ->
              throw new IllegalArgumentException("activations of type " + type);
        };
    workspace = tensors.workspace();
    accelerated = tensors.accelerated();
    placement =
        switch (movement.collective()) {
          case LOCAL, EXCHANGE, ALLGATHER -> place(movement.incoming());
          case REDUCE_SCATTER -> place(List.of(own(movement.incoming())));
          case IDENTITY, ALLREDUCE -> null;
        };
  }

  private Placement place(List<Parcel> parcels) {
    boolean adds = movement.operation() == Movement.Operation.ADD;
    return shape == null ? null : Placement.of(parcels, shape, movement.result(), adds);
  }

  /**
   * The result, in the caller's scope.
   *
   * @param source null if this rank has none
   * @param samples of the batch, of which source and result may have a share
   * @param over whether the result may take the place of the source
   */
  Tensor run(Tensor source, long samples, boolean over) {
    if (source != null && source.size(0) != movement.source().count(samples)) {
      throw new IllegalStateException(
          "layer %s: %d samples, not %s of %d"
              .formatted(layer, source.size(0), movement.source(), samples));
    }
    if (movement.collective() == Movement.Collective.IDENTITY) {
      return source;
    }
    if (!accelerated || movement.collective() == Movement.Collective.LOCAL) {
      return moved(source, samples, over);
    }
    // Other ranks reach memory of the host.
    Tensor there = source == null ? null : source.onHost();
    return Libtorch.onHost(() -> moved(there, samples, over)).onDevice();
  }

  private Tensor moved(Tensor source, long samples, boolean over) {
    if (source != null && source.type() != type && !movement.isIdentity()) {
      source = source.to(type);
    }
    return switch (movement.collective()) {
      case IDENTITY -> source;
      case LOCAL -> local(source, samples);
      case EXCHANGE -> exchange(source, samples);
      case ALLGATHER -> allgather(source, samples);
      case REDUCE_SCATTER -> reduceScatter(source, samples);
      case ALLREDUCE -> allreduce(source, over);
    };
  }

  private Tensor local(Tensor source, long samples) {
    Tensor result = result(samples);
    placement.parcels().forEach(parcel -> putOwn(parcel, result, source, samples));
    return result;
  }

  private Tensor exchange(Tensor source, long samples) {
    List<Parcel> to = others(movement.outgoing(), samples);
    List<Parcel> from = others(movement.incoming(), samples);
    Tensor result = shape == null ? Tensor.empty(type, 0) : result(samples);
    MemorySegment out = workspace.outgoing(room(to, samples));
    MemorySegment in = workspace.incoming(room(from, samples));
    List<MemorySegment> outgoing = new ArrayList<>();
    List<MemorySegment> incoming = new ArrayList<>();
    for (Parcel parcel : to) {
      outgoing.add(packed(source, parcel, out, samples));
      out = out.asSlice(room(List.of(parcel), samples));
    }
    boolean direct =
        movement.incoming().size() == 1
            && from.size() == 1
            && Boxes.isWhole(from.getFirst(), result, movement.result());
    for (Parcel parcel : from) {
      incoming.add(direct ? result.memory() : in.asSlice(0, bytes(parcel, samples)));
      in = in.asSlice(room(List.of(parcel), samples));
    }
    transfer.exchange(peers(to), outgoing, peers(from), incoming);
    if (shape == null || direct) {
      return result;
    }
    int arrived = 0;
    for (Placement.Placed parcel : placement.parcels()) {
      if (parcel.parcel().peer() == transfer.rank()) {
        putOwn(parcel, result, source, samples);
      } else if (parcel.parcel().elements(samples) > 0) {
        unpack(incoming.get(arrived++), parcel, result, samples);
      }
    }
    return result;
  }

  private Tensor allgather(Tensor source, long samples) {
    long[] lengths = lengths(movement.incoming(), samples);
    Parcel own = own(movement.outgoing());
    MemorySegment mine = packed(source, own, workspace.outgoing(bytes(own, samples)), samples);
    Tensor result = result(samples);
    boolean direct = Boxes.areRows(movement.incoming(), shape, movement.result(), samples);
    MemorySegment all = direct ? result.memory() : workspace.incoming(Boxes.sum(lengths));
    transfer.allgather(mine, all, lengths);
    if (!direct) {
      for (Placement.Placed parcel : placement.parcels()) {
        int peer = parcel.parcel().peer();
        MemorySegment block = all.asSlice(Boxes.offset(lengths, peer), lengths[peer]);
        unpack(block, parcel, result, samples);
      }
    }
    return result;
  }

  private Tensor reduceScatter(Tensor source, long samples) {
    long[] lengths = lengths(movement.outgoing(), samples);
    MemorySegment all = workspace.outgoing(Boxes.sum(lengths));
    for (Parcel parcel : movement.outgoing()) {
      long offset = Boxes.offset(lengths, parcel.peer());
      pack(source, parcel, all.asSlice(offset, lengths[parcel.peer()]), samples);
    }
    Placement.Placed own = placement.parcels().getFirst();
    Tensor result = result(samples);
    boolean direct = Boxes.isWhole(own.parcel(), result, movement.result());
    long bytes = lengths[transfer.rank()];
    MemorySegment mine = direct ? result.memory() : workspace.incoming(bytes);
    transfer.reduceScatter(all, mine, lengths, dtype);
    if (!direct) {
      unpack(mine, own, result, samples);
    }
    return result;
  }

  private Tensor allreduce(Tensor source, boolean over) {
    Tensor result = Torch.fast(source); // the source itself if it is in that order already
    if (!over && result.memory().address() == source.memory().address()) {
      result = Torch.fastEmpty(type, source.sizes()).copy_(source);
    }
    if (movement.factor() != 1) {
      result.mul_(movement.factor());
    }
    transfer.allreduce(result.memory(), dtype);
    return result;
  }

  /** The result before anything has come, filled where nothing will. */
  private Tensor result(long samples) {
    long[] extents = new long[shape.extents().size() + 1];
    extents[0] = movement.result().count(samples);
    System.arraycopy(shape.toArray(), 0, extents, 1, extents.length - 1);
    Tensor result = Torch.fastEmpty(type, extents);
    for (Box box : placement.rest()) {
      Boxes.view(result, movement.result(), box, samples).fill_(movement.fill());
    }
    return result;
  }

  private void putOwn(Placement.Placed placed, Tensor result, Tensor source, long samples) {
    Parcel outgoing = own(movement.outgoing());
    for (int i = 0; i < placed.boxes().size(); i++) {
      Tensor from = Boxes.view(source, movement.source(), outgoing.boxes().get(i), samples);
      put(placed.boxes().get(i), from, movement.factor(), result, samples);
    }
  }

  private void unpack(MemorySegment memory, Placement.Placed placed, Tensor result, long samples) {
    long offset = 0;
    for (int i = 0; i < placed.boxes().size(); i++) {
      Box box = placed.parcel().boxes().get(i);
      long bytes = box.elements(samples) * dtype.bytes();
      if (bytes > 0) {
        MemorySegment slice = memory.asSlice(offset, bytes);
        Tensor from = Torch.fastIn(slice, type, Boxes.extents(box, samples));
        put(placed.boxes().get(i), from, 1, result, samples);
        offset += bytes;
      }
    }
  }

  private void put(
      List<Placement.Piece> pieces, Tensor from, double factor, Tensor result, long samples) {
    for (Placement.Piece piece : pieces) {
      Tensor to = Boxes.view(result, movement.result(), piece.target(), samples);
      Tensor part = Boxes.narrow(from, piece.within());
      if (piece.adds()) {
        to.add_(part, factor);
      } else {
        to.copy_(part);
        scale(to, factor);
      }
    }
  }

  /** A parcel's boxes one after the other, in this memory or in the source's own if that is so. */
  private MemorySegment packed(Tensor source, Parcel parcel, MemorySegment memory, long samples) {
    if (movement.factor() == 1 && Boxes.isWhole(parcel, source, movement.source())) {
      MemorySegment own = Torch.fast(source).memory();
      if (own.address() % Workspace.ALIGNMENT == 0) {
        return own;
      }
    }
    MemorySegment slice = memory.asSlice(0, bytes(parcel, samples));
    pack(source, parcel, slice, samples);
    return slice;
  }

  private void pack(Tensor source, Parcel parcel, MemorySegment memory, long samples) {
    long offset = 0;
    for (Box box : parcel.boxes()) {
      long bytes = box.elements(samples) * dtype.bytes();
      if (bytes > 0) {
        Tensor from = Boxes.view(source, movement.source(), box, samples);
        MemorySegment slice = memory.asSlice(offset, bytes);
        scale(Torch.fastIn(slice, type, from.sizes()).copy_(from), movement.factor());
        offset += bytes;
      }
    }
  }

  private static void scale(Tensor tensor, double factor) {
    if (factor != 1) {
      tensor.mul_(factor);
    }
  }

  private Parcel own(List<Parcel> parcels) {
    for (Parcel parcel : parcels) {
      if (parcel.peer() == transfer.rank()) {
        return parcel;
      }
    }
    return new Parcel(transfer.rank(), List.of());
  }

  private List<Parcel> others(List<Parcel> parcels, long samples) {
    return parcels.stream()
        .filter(parcel -> parcel.peer() != transfer.rank() && parcel.elements(samples) > 0)
        .toList();
  }

  private static List<Integer> peers(List<Parcel> parcels) {
    return parcels.stream().map(Parcel::peer).toList();
  }

  private long bytes(Parcel parcel, long samples) {
    return parcel.elements(samples) * dtype.bytes();
  }

  /** Bytes for parcels, each of which begins where memory is aligned. */
  private long room(List<Parcel> parcels, long samples) {
    return parcels.stream().mapToLong(parcel -> Workspace.aligned(bytes(parcel, samples))).sum();
  }

  /** Bytes of each rank of the group. */
  private long[] lengths(List<Parcel> parcels, long samples) {
    long[] lengths = new long[transfer.size()];
    parcels.forEach(parcel -> lengths[parcel.peer()] = bytes(parcel, samples));
    return lengths;
  }
}
