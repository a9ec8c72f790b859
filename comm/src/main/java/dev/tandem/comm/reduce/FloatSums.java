package dev.tandem.comm.reduce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The vectorised sums of this JVM, if it has the module for them ({@code --add-modules
 * jdk.incubator.vector}; Tandem's launcher adds it), as soon as they are fast. There are no other
 * sums on native memory: the JVM does not vectorise loops over it by itself, so without the module
 * small arrays are faster.
 *
 * <p>{@code Note [vectors need compiling]}: until the optimizing compiler has seen it, vector code
 * takes hundreds of times longer than loops over arrays do (6 ms for 1 MiB instead of 0.2 ms), and
 * compiling it takes seconds while ranks keep the processors busy. So a thread of its own calls the
 * sums, with lengths that reach every branch, until they are fast; ranks sum by arrays meanwhile,
 * which gives the same bits. It begins when a process has shown that it sums much: what compiling
 * takes, vectors give back in the course of a hundred gigabytes, which few trainings have.
 */
final class FloatSums {

  private static final String MODULE = "jdk.incubator.vector";

  /** Where even a slow machine does not come without the vector unit, and a compiled sum easily. */
  private static final double FAST_BYTES_PER_NANOSECOND = 1;

  private static final int BYTES = 4 << 10;

  /** No whole vectors, so that every loop has its turn. */
  private static final int RAGGED_BYTES = BYTES - 76;

  /** Sums in a call of all. */
  private static final int CALLS = 2;

  private static final int FAST_ROUNDS = 50;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long REST_NANOS = 20_000;

  /** A process that has summed as often, or as much, will go on. */
  private static final int MANY_SUMS = 1000;

  private static final long MANY_BYTES = 256 << 20;

  private static final AtomicInteger SUMS = new AtomicInteger();
  private static final AtomicLong SUMMED = new AtomicLong();
  private static final CountDownLatch TRIED = new CountDownLatch(1);
  private static volatile Optional<FloatSum> ready = Optional.empty();

  private FloatSums() {}

  /** Begins to make the sums fast. Returns at once. */
  static void prepare() {
    Preparation.begin();
  }

  /** The sums, if they are fast by now, for a sum of this many bytes. Returns at once. */
  static Optional<FloatSum> ready(long bytes) {
    Optional<FloatSum> sums = ready;
    if (sums.isEmpty()
        && (SUMS.incrementAndGet() >= MANY_SUMS || SUMMED.addAndGet(bytes) >= MANY_BYTES)) {
      prepare();
    }
    return sums;
  }

  /** Waits until they are fast, or will not be in this JVM. */
  static Optional<FloatSum> awaitReady() throws InterruptedException {
    prepare();
    TRIED.await();
    return ready;
  }

  /** Begins when the class is loaded: once. */
  private static final class Preparation {

    static {
      Thread.ofPlatform().daemon().name("vector-sums").start(Preparation::run);
    }

    private static void begin() {}

    private static void run() {
      try {
        if (ModuleLayer.boot().findModule(MODULE).isPresent()) {
          FloatSum sum = new VectorFloatSum();
          if (becomesFast(sum)) {
            ready = Optional.of(sum);
          }
        }
      } finally {
        TRIED.countDown();
      }
    }

    private static boolean becomesFast(FloatSum sum) {
      // Memory of one thread and of all: the compiler must have met both kinds.
      try (Arena own = Arena.ofConfined()) {
        MemorySegment mine = own.allocate(BYTES, 64);
        MemorySegment shared = Arena.ofAuto().allocate(BYTES, 64);
        long began = System.nanoTime();
        int fast = 0;
        while (fast < FAST_ROUNDS) {
          long before = System.nanoTime();
          call(sum, mine, shared, BYTES);
          call(sum, shared, mine, RAGGED_BYTES);
          long took = System.nanoTime() - before;
          if (before - began > PATIENCE_NANOS) {
            return false;
          }
          fast = took < 2 * CALLS * BYTES / FAST_BYTES_PER_NANOSECOND ? fast + 1 : 0;
          LockSupport.parkNanos(REST_NANOS);
        }
        return true;
      }
    }

    private static void call(FloatSum sum, MemorySegment target, MemorySegment source, int bytes) {
      sum.add(target, source, bytes);
      sum.divide(target, bytes, 2);
    }
  }
}
