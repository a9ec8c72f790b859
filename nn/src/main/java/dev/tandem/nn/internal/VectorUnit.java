package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.posix.Capability;
import dev.tandem.posix.OpenMp;

/**
 * When layers compute with the processor's vector unit by themselves instead of asking the engine:
 * for bfloat16 images where the engine's kernels are slow, since each of its operations converts to
 * float32 and back, and indices are 64 bits wide. Needs the module for it ({@code --add-modules
 * jdk.incubator.vector}; Tandem's launcher adds it).
 *
 * <p>The samples of a batch are shared among the engine's own threads: between its operations they
 * look out for the next one for a while, on the processors that threads of ours would need, and so
 * begin without being woken. The bits do not depend on how many there are.
 *
 * <p>The first calls in a process are slow, until the JVM has compiled them.
 */
final class VectorUnit {

  /** Channels of an image must be a multiple, so that vectors of any machine have all lanes. */
  private static final int LANES = 32;

  /**
   * Threads of the engine that one of ours makes up for, where the engine's own cannot be had: our
   * kernels were four times as fast.
   */
  private static final int MOST_THREADS = 4;

  private static final boolean PRESENT =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  /** Looked for when the engine has been loaded, and with it what it computes with. */
  private static final class EngineThreads {
    static final Capability<OpenMp> THREADS = Libtorch.openMp();
  }

  /** Some of the samples of a batch. */
  interface Work {

    /** Computes these samples, the last of which is before the end. */
    void samples(long begin, long end);
  }

  private VectorUnit() {}

  /** Whether this JVM has the module. */
  static boolean present() {
    return PRESENT;
  }

  /** Whether images like these are computed with it, by this thread. */
  static boolean serves(Tensor images) {
    return PRESENT
        && images.dim() == 4
        && images.type() == ScalarType.BFLOAT16
        && images.size(1) % LANES == 0
        && (Libtorch.threads() <= MOST_THREADS
            || EngineThreads.THREADS instanceof Capability.Present<OpenMp>);
  }

  /** Computes all samples of a batch, in as many parts as the engine has threads. */
  static void share(long samples, Work work) {
    int threads = (int) Math.min(Libtorch.threads(), samples);
    if (threads > 1 && EngineThreads.THREADS instanceof Capability.Present<OpenMp>(OpenMp openMp)) {
      openMp.run(
          threads, part -> work.samples(samples * part / threads, samples * (part + 1) / threads));
    } else {
      work.samples(0, samples);
    }
  }
}
