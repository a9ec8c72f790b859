package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out one movement with the engine's copies. What travels is packed box by box, each in the
 * engine's fast order, so that both sides agree whatever the order of their tensors is.
 */
final class MovementRun {

  private final String layer;
  private final Movement movement;
  private final Transfer transfer;
  private final Shape shape;
  private final ScalarType type;
  private final DType dtype;
  private final Workspace workspace;

  /**
   * A movement of a layer.
   *
   * @param shape of a sample of the result; null if this rank gets none
   */
  MovementRun(Exchange layer, Movement movement, Shape shape, LayerTensors tensors) {
    this.layer = layer.name();
    this.movement = movement;
    this.transfer = layer.transfer();
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
  }

  /**
   * The result, in the caller's scope.
   *
   * @param source null if this rank has none
   * @param samples of the batch, of which source and result may have a share
   * @param over whether the result may take the place of the source
   */
  Tensor run(Tensor source, long samples, boolean over) {
    int parts = Math.max(movement.source().parts(), movement.result().parts());
    if (samples < parts) {
      // Thrown by all ranks of the group, before any of them waits.
      throw new UsageException(
          "layer %s divides samples over %d ranks, but the batch has %d: choose larger batches"
              .formatted(layer, parts, samples));
    }
    if (source != null && source.size(0) != movement.source().count(samples)) {
      throw new IllegalStateException(
          "layer %s: %d samples, not %s of %d"
              .formatted(layer, source.size(0), movement.source(), samples));
    }
    if (movement.isIdentity()) {
      return source;
    }
    if (source != null && source.type() != type) {
      source = source.to(type);
    }
    return switch (movement.collective()) {
      case NONE -> local(source, samples);
      case EXCHANGE -> exchange(source, samples);
      case ALLGATHER -> allgather(source, samples);
      case REDUCE_SCATTER -> reduceScatter(source, samples);
      case ALLREDUCE -> allreduce(source, over);
    };
  }

  private Tensor local(Tensor source, long samples) {
    Tensor result = result(samples);
    for (Parcel parcel : movement.incoming()) {
      putOwn(parcel, result, source, samples);
    }
    return result;
  }

  private Tensor exchange(Tensor source, long samples) {
    List<Parcel> to = others(movement.outgoing(), samples);
    List<Parcel> from = others(movement.incoming(), samples);
    List<MemorySegment> outgoing = slices(to, workspace.outgoing(bytes(to, samples)), samples);
    List<MemorySegment> incoming = slices(from, workspace.incoming(bytes(from, samples)), samples);
    for (int i = 0; i < to.size(); i++) {
      pack(source, to.get(i), outgoing.get(i), samples);
    }
    transfer.exchange(peers(to), outgoing, peers(from), incoming);
    if (shape == null) {
      return Tensor.empty(type, 0);
    }
    Tensor result = result(samples);
    int arrived = 0;
    for (Parcel parcel : movement.incoming()) {
      if (parcel.peer() == transfer.rank()) {
        putOwn(parcel, result, source, samples);
      } else if (parcel.elements(samples) > 0) {
        unpack(incoming.get(arrived++), parcel, result, samples);
      }
    }
    return result;
  }

  private Tensor allgather(Tensor source, long samples) {
    long[] lengths = lengths(movement.incoming(), samples);
    Parcel own = own(movement.outgoing());
    MemorySegment mine = packed(source, own, samples);
    MemorySegment all = workspace.incoming(sum(lengths));
    transfer.allgather(mine, all, lengths);
    Tensor result = result(samples);
    for (Parcel parcel : movement.incoming()) {
      long offset = offset(lengths, parcel.peer());
      unpack(all.asSlice(offset, lengths[parcel.peer()]), parcel, result, samples);
    }
    return result;
  }

  private Tensor reduceScatter(Tensor source, long samples) {
    long[] lengths = lengths(movement.outgoing(), samples);
    MemorySegment all = workspace.outgoing(sum(lengths));
    for (Parcel parcel : movement.outgoing()) {
      long offset = offset(lengths, parcel.peer());
      pack(source, parcel, all.asSlice(offset, lengths[parcel.peer()]), samples);
    }
    Parcel own = own(movement.incoming());
    Tensor result = result(samples);
    boolean whole = isWhole(own, result.sizes(), movement.result(), samples);
    long bytes = lengths[transfer.rank()];
    MemorySegment mine = whole ? result.memory() : workspace.incoming(bytes);
    transfer.reduceScatter(all, mine, lengths, dtype);
    if (!whole) {
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

  /** The result before anything has come, filled where that is not everywhere. */
  private Tensor result(long samples) {
    long[] extents = new long[shape.extents().size() + 1];
    extents[0] = movement.result().count(samples);
    System.arraycopy(shape.toArray(), 0, extents, 1, extents.length - 1);
    Tensor result = Torch.fastEmpty(type, extents);
    boolean adds =
        movement.operation() == Movement.Operation.ADD
            && movement.collective() != Movement.Collective.REDUCE_SCATTER;
    if (adds || elements(placed(), samples) < result.numel()) {
      result.fill_(movement.fill());
    }
    return result;
  }

  /** What is put into the result: of a reduce-scatter the sum alone. */
  private List<Parcel> placed() {
    return movement.collective() == Movement.Collective.REDUCE_SCATTER
        ? List.of(own(movement.incoming()))
        : movement.incoming();
  }

  private void putOwn(Parcel incoming, Tensor result, Tensor source, long samples) {
    Parcel outgoing = own(movement.outgoing());
    for (int i = 0; i < incoming.boxes().size(); i++) {
      Tensor from = view(source, movement.source(), outgoing.boxes().get(i), samples);
      Tensor to = view(result, movement.result(), incoming.boxes().get(i), samples);
      switch (movement.operation()) {
        case ADD -> to.add_(from, movement.factor());
        case COPY -> {
          to.copy_(from);
          if (movement.factor() != 1) {
            to.mul_(movement.factor());
          }
        }
      }
    }
  }

  /** A parcel's boxes one after the other; the source's own memory if that is the same. */
  private MemorySegment packed(Tensor source, Parcel parcel, long samples) {
    if (movement.factor() == 1 && isWhole(parcel, source.sizes(), movement.source(), samples)) {
      MemorySegment memory = Torch.fast(source).memory();
      if (memory.address() % Workspace.ALIGNMENT == 0) {
        return memory;
      }
    }
    MemorySegment memory = workspace.outgoing(parcel.elements(samples) * dtype.bytes());
    pack(source, parcel, memory, samples);
    return memory;
  }

  private void pack(Tensor source, Parcel parcel, MemorySegment memory, long samples) {
    long offset = 0;
    for (Box box : parcel.boxes()) {
      long elements = box.elements(samples);
      if (elements > 0) {
        MemorySegment slice = memory.asSlice(offset, elements * dtype.bytes());
        Tensor from = view(source, movement.source(), box, samples);
        Tensor to = Torch.fastIn(slice, type, from.sizes()).copy_(from);
        if (movement.factor() != 1) {
          to.mul_(movement.factor());
        }
        offset += slice.byteSize();
      }
    }
  }

  private void unpack(MemorySegment memory, Parcel parcel, Tensor result, long samples) {
    long offset = 0;
    for (Box box : parcel.boxes()) {
      long elements = box.elements(samples);
      if (elements > 0) {
        MemorySegment slice = memory.asSlice(offset, elements * dtype.bytes());
        Tensor to = view(result, movement.result(), box, samples);
        Tensor from = Torch.fastIn(slice, type, to.sizes());
        boolean copies =
            movement.operation() == Movement.Operation.COPY
                || movement.collective() == Movement.Collective.REDUCE_SCATTER;
        if (copies) {
          to.copy_(from);
        } else {
          to.add_(from);
        }
        offset += slice.byteSize();
      }
    }
  }

  /** The part of a tensor that a box means. */
  private static Tensor view(Tensor tensor, SampleShare share, Box box, long samples) {
    Tensor view = tensor;
    long first = box.samples().from(samples) - share.from(samples);
    long count = box.samples().count(samples);
    if (count != tensor.size(0)) {
      view = view.narrow(0, first, count);
    }
    for (int i = 0; i < box.ranges().size(); i++) {
      Movement.Range range = box.ranges().get(i);
      if (range.length() != tensor.size(i + 1)) {
        view = view.narrow(i + 1, range.start(), range.length());
      }
    }
    return view;
  }

  /** Whether a parcel is one box that is all of a tensor of these extents. */
  private static boolean isWhole(Parcel parcel, long[] extents, SampleShare share, long samples) {
    if (parcel.boxes().size() != 1) {
      return false;
    }
    Box box = parcel.boxes().getFirst();
    long elements = 1;
    for (long extent : extents) {
      elements *= extent;
    }
    return box.samples().equals(share) && box.elements(samples) == elements;
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

  private static long elements(List<Parcel> parcels, long samples) {
    return parcels.stream().mapToLong(parcel -> parcel.elements(samples)).sum();
  }

  private long bytes(List<Parcel> parcels, long samples) {
    return parcels.stream()
        .mapToLong(parcel -> Workspace.aligned(parcel.elements(samples) * dtype.bytes()))
        .sum();
  }

  private List<MemorySegment> slices(List<Parcel> parcels, MemorySegment memory, long samples) {
    List<MemorySegment> slices = new ArrayList<>();
    long offset = 0;
    for (Parcel parcel : parcels) {
      long bytes = parcel.elements(samples) * dtype.bytes();
      slices.add(memory.asSlice(offset, bytes));
      offset += Workspace.aligned(bytes);
    }
    return slices;
  }

  /** Bytes of each rank of the group. */
  private long[] lengths(List<Parcel> parcels, long samples) {
    long[] lengths = new long[transfer.size()];
    for (Parcel parcel : parcels) {
      lengths[parcel.peer()] = parcel.elements(samples) * dtype.bytes();
    }
    return lengths;
  }

  private static long offset(long[] lengths, int rank) {
    long offset = 0;
    for (int i = 0; i < rank; i++) {
      offset += lengths[i];
    }
    return offset;
  }

  private static long sum(long[] lengths) {
    return offset(lengths, lengths.length);
  }
}
