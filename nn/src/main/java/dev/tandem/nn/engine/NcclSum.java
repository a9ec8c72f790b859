package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.DeviceMemory.DirectSum;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Accelerator.Mark;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/** Sums by NCCL, the library of NVIDIA's that libtorch_cuda brings, for ranks with own GPUs. */
final class NcclSum implements DirectSum {

  private static final String LIBRARY = "libnccl.so.2";
  private static final int FLOAT32 = 7;
  private static final int SUM = 0;

  /** An identity is a structure of 128 bytes, passed by value. */
  private static final MemoryLayout IDENTITY =
      MemoryLayout.structLayout(MemoryLayout.sequenceLayout(16, JAVA_LONG));

  private final MethodHandle allReduce;
  private final MethodHandle destroy;
  private final MethodHandle text;
  private final long communicator;
  private final CudaAccelerator device;
  private final LongUnaryOperator address;
  private final Mark computed;

  private NcclSum(
      SymbolLookup library,
      Communicator ranks,
      CudaAccelerator device,
      LongUnaryOperator address,
      Mark computed) {
    this.device = device;
    this.address = address;
    this.computed = computed;
    text = of(library, "ncclGetErrorString", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    destroy = of(library, "ncclCommDestroy", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    allReduce =
        of(
            library,
            "ncclAllReduce",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG,
                JAVA_LONG));
    MethodHandle unique = of(library, "ncclGetUniqueId", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    MethodHandle begin =
        of(
            library,
            "ncclCommInitRank",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, IDENTITY, JAVA_INT));
    CudaRuntime.use(device.index());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment identity = arena.allocate(IDENTITY);
      if (ranks.rank() == 0) {
        check((int) unique.invokeExact(identity));
      }
      ranks.broadcast(identity, 0);
      MemorySegment made = arena.allocate(JAVA_LONG);
      check((int) begin.invokeExact(made, ranks.size(), identity, ranks.rank()));
      communicator = made.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  /** Sums between the GPUs of all ranks; nothing if a rank lacks the library. */
  static Optional<DirectSum> between(
      Communicator ranks, CudaAccelerator device, LongUnaryOperator address, Mark computed) {
    Optional<SymbolLookup> library = CudaRuntime.library(LIBRARY);
    int[] all = {library.isPresent() ? 1 : 0};
    ranks.allreduce(MemorySegment.ofArray(all), DType.INT32, ReduceOp.MIN);
    return all[0] == 0
        ? Optional.empty()
        : Optional.of(new NcclSum(library.orElseThrow(), ranks, device, address, computed));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(SymbolLookup library, String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), descriptor);
  }

  private void check(int code) throws Throwable {
    if (code != 0) {
      String reason = Native.text((long) text.invokeExact(code));
      throw new EngineException("NCCL: " + reason + " (error " + code + ")", false);
    }
  }

  @Override
  public void sum(long offset, long bytes) {
    device.record(computed, Lane.COMPUTE);
    device.follow(Lane.EXCHANGE_IN, computed);
    long place = address.applyAsLong(offset);
    try {
      check(
          (int)
              allReduce.invokeExact(
                  place,
                  place,
                  bytes / Float.BYTES,
                  FLOAT32,
                  SUM,
                  communicator,
                  device.stream(Lane.EXCHANGE_IN)));
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  @Override
  public void close() {
    try {
      check((int) destroy.invokeExact(communicator));
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }
}
