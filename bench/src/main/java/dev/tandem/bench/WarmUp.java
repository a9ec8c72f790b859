package dev.tandem.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.DoubleUnaryOperator;

/** Work that does not count, until the JVM has compiled what there is to compile. */
public final class WarmUp {

  /** The JVM is warm when its compilers use less than this share of a core. */
  private static final double COMPILING_SHARE = 0.01;

  private WarmUp() {}

  /**
   * Runs laps until one of them found the compilers at rest, one lap at least.
   *
   * @param longest after which no further lap begins
   * @param mostOfRanks the largest of what all ranks give, which must come to the same answer
   */
  public static void run(Duration longest, Runnable lap, DoubleUnaryOperator mostOfRanks) {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long began = System.nanoTime();
    boolean compiling = true;
    while (compiling) {
      long lapBegan = System.nanoTime();
      long compiled = compilers.getTotalCompilationTime();
      lap.run();
      long now = System.nanoTime();
      double share = (compilers.getTotalCompilationTime() - compiled) * 1e6 / (now - lapBegan);
      boolean time = now - began < longest.toNanos();
      compiling = mostOfRanks.applyAsDouble(time ? share : 0) > COMPILING_SHARE;
    }
  }
}
