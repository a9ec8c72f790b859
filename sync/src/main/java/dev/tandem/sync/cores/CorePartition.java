package dev.tandem.sync.cores;

import dev.tandem.posix.Affinity;
import dev.tandem.sync.policy.Partitioning;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Disjoint sets of cores for the roles of a rank's threads. On a machine with too few cores it does
 * nothing, and says so. Thread-safe.
 */
public final class CorePartition {

  /** One core for each role. */
  private static final int FEWEST_CORES = 3;

  /** Of the cores that are not the background's, so many go to the input at first. */
  private static final int INPUT_SHARE = 4;

  private final Optional<Affinity> affinity;
  private final String remark;
  private final boolean moves;
  private final int[] cores;
  // The first core is the background's, the last ones are the input's.
  private volatile int inputCores;

  private CorePartition(Optional<Affinity> affinity, String remark, boolean moves, int[] cores) {
    this.affinity = affinity;
    this.remark = remark;
    this.moves = moves;
    this.cores = cores;
    this.inputCores = Math.max(1, (cores.length - 1) / INPUT_SHARE);
  }

  /** A partition of these cores, which belong to this rank. */
  public static CorePartition of(Partitioning partitioning, BitSet available) {
    int[] cores = available.stream().toArray();
    if (partitioning == Partitioning.NONE) {
      return new CorePartition(Optional.empty(), "", false, cores);
    }
    if (cores.length < FEWEST_CORES) {
      return new CorePartition(
          Optional.empty(),
          "core partitioning needs at least %d cores a rank and has %d: it does nothing"
              .formatted(FEWEST_CORES, cores.length),
          false,
          cores);
    }
    Optional<Affinity> affinity = Affinity.capability().value();
    return new CorePartition(
        affinity,
        affinity.isPresent() ? "" : "cores cannot be assigned on this machine",
        partitioning == Partitioning.DYNAMIC,
        cores);
  }

  /**
   * A partition of this rank's share of the cores that the calling thread may use.
   *
   * @param localRank of the ranks on this host
   * @param localSize how many ranks share these cores: 1 if each rank was given its own
   */
  public static CorePartition ofMachine(Partitioning partitioning, int localRank, int localSize) {
    BitSet available =
        Affinity.capability().value().map(Affinity::current).orElseGet(CorePartition::allCores);
    int[] cores = available.stream().toArray();
    BitSet mine = new BitSet();
    for (int i = cores.length * localRank / localSize;
        i < cores.length * (localRank + 1) / localSize;
        i++) {
      mine.set(cores[i]);
    }
    return of(partitioning, mine);
  }

  private static BitSet allCores() {
    BitSet all = new BitSet();
    all.set(0, Runtime.getRuntime().availableProcessors());
    return all;
  }

  /** Whether threads are pinned. */
  public boolean active() {
    return affinity.isPresent();
  }

  /** Why nothing is pinned although it was asked for; else empty. */
  public String remark() {
    return remark;
  }

  /** The cores of a role now. */
  public BitSet cores(Role role) {
    int input = inputCores;
    int begin =
        switch (role) {
          case BACKGROUND -> 0;
          case ENGINE -> 1;
          case INPUT -> cores.length - input;
        };
    int end =
        switch (role) {
          case BACKGROUND -> 1;
          case ENGINE -> cores.length - input;
          case INPUT -> cores.length;
        };
    BitSet set = new BitSet();
    for (int i = begin; active() ? i < end : i < 0; i++) {
      set.set(cores[i]);
    }
    return set;
  }

  /** The calling thread, and those that it starts, run on the cores of this role. */
  public void enter(Role role) {
    affinity.ifPresent(thread -> thread.pin(cores(role)));
  }

  /** Does work whose threads run on the cores of this role; the calling thread keeps its own. */
  public <T> T inside(Role role, Supplier<T> work) {
    if (!active()) {
      return work.get();
    }
    BitSet own = affinity.get().current();
    affinity.get().pin(cores(role));
    try {
      return work.get();
    } finally {
      affinity.get().pin(own);
    }
  }

  /**
   * Moves a core to where it is short, if this partition is dynamic; threads follow when they
   * {@link #enter} again.
   *
   * @param inputWaitShare of a step that the engine waited for input
   * @param inputIdleShare of a step that the input threads waited for the engine
   * @return whether cores have moved
   */
  public synchronized boolean balance(double inputWaitShare, double inputIdleShare) {
    int most = cores.length - 2;
    if (!moves) {
      return false;
    }
    if (inputWaitShare > 0.05 && inputCores < most) {
      inputCores = inputCores + 1;
      return true;
    }
    // A core less must still be enough: what is left must have been idle in excess of it.
    if (inputWaitShare < 0.01 && inputCores > 1 && inputIdleShare > 1.2 / inputCores) {
      inputCores = inputCores - 1;
      return true;
    }
    return false;
  }
}
