package dev.tandem.bench.servers;

import dev.tandem.core.Seed;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** Which ranks are late; see {@code Note [late ranks]}. */
enum Lateness {
  /** The last rank, in one of four steps. */
  ONE,
  /** All ranks, each by itself, with as many pauses in all. */
  EACH;

  /** How late a rank is then: some steps of the small network. */
  private static final long PAUSE_NANOS = 30_000_000;

  private static final double SHARE = 0.25;

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Lateness of(String code) {
    return valueOf(code.toUpperCase(Locale.ROOT));
  }

  /** Whether it is late in a step; the same in every turn. */
  void pause(Seed seed, int rank, int ranks, long step) {
    double chance =
        switch (this) {
          case ONE -> rank == ranks - 1 ? SHARE : 0;
          case EACH -> SHARE / ranks;
        };
    if (seed.derive("late").derive(rank).derive(step).random().nextDouble() < chance) {
      long end = System.nanoTime() + PAUSE_NANOS;
      for (long left = PAUSE_NANOS; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }
}
