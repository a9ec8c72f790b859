package dev.tandem.nn.internal;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * When layers compute with the processor's vector unit by themselves instead of asking the engine:
 * for bfloat16 images where the engine's kernels are slow, since each of its operations converts to
 * float32 and back, and indices are 64 bits wide. Needs the module for it ({@code --add-modules
 * jdk.incubator.vector}; Tandem's launcher adds it).
 *
 * <p>The first calls in a process are slow, until the JVM has compiled them.
 */
final class VectorUnit {

  /** Channels of an image must be a multiple, so that vectors of any machine have all lanes. */
  private static final int LANES = 32;

  /**
   * Threads of the engine. Our kernels have one; they were four times as fast as one thread of the
   * engine.
   */
  private static final int MOST_THREADS = 4;

  private static final boolean PRESENT =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  private VectorUnit() {}

  /** Whether this JVM has the module. */
  static boolean present() {
    return PRESENT;
  }

  /** Whether images like these are computed with it, by this thread. */
  static boolean serves(Tensor images) {
    return PRESENT
        && images.dim() == 4
        && Torch.type(images) == ScalarType.BFloat16
        && images.size(1) % LANES == 0
        && !images.requires_grad() // the engine would not know how to differentiate
        && torch.get_num_threads() <= MOST_THREADS;
  }
}
