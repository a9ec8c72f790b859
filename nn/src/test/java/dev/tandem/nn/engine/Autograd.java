package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The engine's own differentiation, which only tests use: what our backward passes are compared
 * with.
 */
public final class Autograd {

  private static final String REQUIRES_GRAD = "_ZN2at4_ops14requires_grad_4callERNS_6TensorEb";
  private static final String GRAD =
      "_ZN5torch8autograd4gradERKSt6vectorIN2at6TensorESaIS3_EES7_S7_St8optionalIbEbb";

  private Autograd() {}

  /** Runs something that the engine keeps track of. */
  public static <T> T tracked(Supplier<T> work) {
    EngineThread.current();
    Native.setGradientMode(true);
    try {
      return work.get();
    } finally {
      Native.setGradientMode(false);
    }
  }

  /** A tensor that others may be differentiated by. */
  public static Tensor leaf(Tensor tensor) {
    EngineThread.current()
        .call
        .begin(Native.symbols().required(REQUIRES_GRAD).address())
        .tensor(tensor)
        .flag(true)
        .call();
    return tensor;
  }

  /** Of an output that was tracked, by each leaf, given the gradient by the output. */
  public static List<Tensor> gradients(Tensor output, List<Tensor> leaves, Tensor gradient) {
    CallBlock call = EngineThread.current().call;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment result = arena.allocate(24, 16); // a std::vector
      call.begin(Native.symbols().required(GRAD).address())
          .resultAt(result.address())
          .word(vector(arena, List.of(output)).address())
          .word(vector(arena, leaves).address())
          .word(vector(arena, List.of(gradient)).address())
          .absent()
          .flag(false)
          .flag(false)
          .call();
      List<Tensor> gradients = new ArrayList<>();
      long first = result.get(JAVA_LONG, 0);
      for (int i = 0; i < leaves.size(); i++) {
        long handle = Native.newHandle();
        Native.write(handle, Native.read(first + 8L * i));
        gradients.add(Tensor.made(handle));
      }
      Native.free(first);
      return gradients;
    }
  }

  private static MemorySegment vector(Arena arena, List<Tensor> tensors) {
    MemorySegment elements =
        arena.allocateFrom(
            JAVA_LONG, tensors.stream().mapToLong(t -> Native.read(t.handle())).toArray());
    long end = elements.address() + elements.byteSize();
    return arena.allocateFrom(JAVA_LONG, elements.address(), end, end);
  }
}
