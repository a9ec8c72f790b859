package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.util.Arrays;

/**
 * What a rank is about to do, as a number: ranks that call the same operation on fitting data have
 * the same one, others hardly ever.
 */
final class CallFingerprint {

  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private CallFingerprint() {}

  static long of(Class<?> collective, long bytes, int root) {
    return mix(mix(collective.getSimpleName().hashCode(), bytes), root);
  }

  static long of(Class<?> collective, long[] lengths, int root) {
    return of(collective, Arrays.hashCode(lengths), root);
  }

  static long of(Class<?> collective, long bytes, DType type, ReduceOp op) {
    return mix(of(collective, bytes, type.code().hashCode()), op.name().hashCode());
  }

  private static long mix(long hash, long next) {
    long mixed = (hash ^ next) * PRIME;
    return mixed ^ (mixed >>> 29);
  }
}
