package dev.tandem.nn.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A CUDA graph: libtorch's {@code at::cuda::CUDAGraph}, in memory of ours. One thread at a time.
 */
final class CudaRecording implements Accelerator.Recording {

  /** More than the object has in any release. */
  private static final long OBJECT_BYTES = 4096;

  /** Other threads may do meanwhile what they like. */
  private static final int THIS_THREAD = 1;

  private static final String PREFIX = "_ZN2at4cuda9CUDAGraph";
  private static final long MAKE = Native.symbols().find(PREFIX + "C1Eb");
  private static final long BEGIN =
      Native.symbols().find(PREFIX + "13capture_beginESt4pairIyyE21cudaStreamCaptureMode");
  private static final long END = Native.symbols().find(PREFIX + "11capture_endEv");
  private static final long REPEAT = Native.symbols().find(PREFIX + "6replayEv");
  private static final long DESTROY = Native.symbols().find(PREFIX + "D1Ev");

  private final Arena arena = Arena.ofShared();
  private final MemorySegment object = arena.allocate(OBJECT_BYTES, 64);

  /** Records the work on the stream of the calling thread. */
  CudaRecording(Runnable work) {
    call(MAKE, object.address()).word(0).call();
    try {
      // An empty pair stands for a pool of memory of its own.
      call(BEGIN, object.address()).word(0).word(0).word(THIS_THREAD).call();
      try {
        work.run();
      } finally {
        call(END, object.address()).call();
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Whether the loaded libtorch has what this needs. */
  static boolean available() {
    return MAKE != 0 && BEGIN != 0 && END != 0 && REPEAT != 0 && DESTROY != 0;
  }

  private static CallBlock call(long function, long object) {
    return EngineThread.current().call.begin(function).word(object);
  }

  @Override
  public void repeat() {
    call(REPEAT, object.address()).call();
  }

  @Override
  public void close() {
    call(DESTROY, object.address()).call();
    arena.close();
  }
}
