package dev.tandem.nn.engine;

import dev.tandem.core.UsageException;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A GPU of NVIDIA's. One for each GPU and process; all of its lanes are streams of libtorch. */
final class CudaAccelerator implements Accelerator {

  /** libtorch's number of CUDA. */
  static final int TYPE = 1;

  private static final Map<Integer, CudaAccelerator> OPEN = new HashMap<>();

  private final int index;
  private final Map<Lane, Long> streams = new EnumMap<>(Lane.class);
  private final long available;

  private CudaAccelerator(int index) {
    this.index = index;
    CudaRuntime.use(index);
    available = CudaRuntime.freeMemory();
    for (Lane lane : Lane.values()) {
      boolean exchanges = lane == Lane.EXCHANGE_IN || lane == Lane.EXCHANGE_OUT;
      streams.put(lane, CudaRuntime.newStream(index, exchanges));
    }
  }

  /** The GPU with this number; libtorch_cuda is loaded. */
  static CudaAccelerator of(int index) {
    int count = CudaRuntime.devices();
    if (index >= count) {
      throw new UsageException(
          count == 0
              ? "device: cuda, but this process sees no GPU that CUDA can use"
              : "device: cuda:%d, but this process sees %d GPUs: cuda:0%s"
                  .formatted(index, count, count == 1 ? "" : " to cuda:" + (count - 1)));
    }
    synchronized (OPEN) {
      return OPEN.computeIfAbsent(index, CudaAccelerator::new);
    }
  }

  @Override
  public String name() {
    return "cuda:" + index;
  }

  @Override
  public String description() {
    return String.format(
        Locale.ROOT,
        "%s, %.0f GiB",
        CudaRuntime.deviceName(index),
        (double) memory().total() / (1L << 30));
  }

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public void enter() {
    CudaRuntime.use(index);
    CudaRuntime.setStream(index, streams.get(Lane.COMPUTE));
  }

  @Override
  public void within(Lane lane, Runnable work) {
    CudaRuntime.setStream(index, streams.get(lane));
    try {
      work.run();
    } finally {
      CudaRuntime.setStream(index, streams.get(Lane.COMPUTE));
    }
  }

  /** The stream behind a lane. */
  long stream(Lane lane) {
    return streams.get(lane);
  }

  @Override
  public Mark mark() {
    CudaRuntime.use(index);
    return new Mark(CudaRuntime.newEvent());
  }

  @Override
  public void record(Mark mark, Lane lane) {
    CudaRuntime.record(mark.event(), streams.get(lane));
  }

  @Override
  public void follow(Lane lane, Mark mark) {
    CudaRuntime.follow(streams.get(lane), mark.event());
  }

  @Override
  public void await(Mark mark) {
    CudaRuntime.use(index); // any thread may wait
    CudaRuntime.await(mark.event());
  }

  @Override
  public void copy(Lane lane, long to, long from, long bytes) {
    CudaRuntime.copy(to, from, bytes, streams.get(lane));
  }

  @Override
  public void pin(MemorySegment memory) {
    if (memory.byteSize() > 0) {
      CudaRuntime.use(index);
      CudaRuntime.register(memory.address(), memory.byteSize());
    }
  }

  @Override
  public void unpin(MemorySegment memory) {
    if (memory.byteSize() > 0) {
      CudaRuntime.unregister(memory.address());
    }
  }

  @Override
  public void synchronize() {
    CudaRuntime.use(index);
    CudaRuntime.synchronize();
  }

  @Override
  public Memory memory() {
    CudaRuntime.use(index);
    return new Memory(available, CudaRuntime.freeMemory(), CudaRuntime.totalMemory());
  }

  @Override
  public boolean repeats() {
    return CudaRecording.available();
  }

  @Override
  public Recording record(Runnable work) {
    return new CudaRecording(work);
  }
}
