package dev.tandem.sync.cores;

import dev.tandem.comm.topology.Topology;
import dev.tandem.posix.Affinity;
import dev.tandem.sync.policy.Partitioning;
import java.util.BitSet;
import java.util.Optional;

/**
 * Disjoint sets of cores for the roles of a rank's threads: one core for the background thread, the
 * others for the engine and for input. With fewer than three cores per rank it does nothing, and
 * says so. Immutable but for {@link #balance}; thread-safe.
 */
public final class CorePartition {

  /** The cores that a rank needs; for tests on machines with few cores. */
  static final String FEWEST_PROPERTY = "tandem.scp.cores";

  /** One core for each role. */
  private static final int FEWEST_CORES = 3;

  /** Of the cores that are not the background's, one in this many goes to the input at first. */
  private static final int INPUT_SHARE = 4;

  private final Optional<Affinity> affinity;
  private final String inactive;
  private final boolean dynamic;
  private final int[] cores;
  // The first core is the background's, the last ones are the input's.
  private volatile int inputCores;

  private CorePartition(
      Optional<Affinity> affinity, String inactive, boolean dynamic, int[] cores) {
    this.affinity = affinity;
    this.inactive = inactive;
    this.dynamic = dynamic;
    this.cores = cores;
    this.inputCores = Math.max(1, (cores.length - 1) / INPUT_SHARE);
  }

  /** A partition of these cores, which belong to this rank. */
  public static CorePartition of(Partitioning partitioning, BitSet available) {
    int[] cores = available.stream().toArray();
    if (partitioning == Partitioning.NONE) {
      return new CorePartition(Optional.empty(), "", false, cores);
    }
    // With two, engine and input share one.
    int fewest = Math.max(2, Integer.getInteger(FEWEST_PROPERTY, FEWEST_CORES));
    if (cores.length < fewest) {
      String few =
          "%d core%s per rank, fewer than %d: partitioning has no effect"
              .formatted(cores.length, cores.length == 1 ? "" : "s", fewest);
      return new CorePartition(Optional.empty(), few, false, cores);
    }
    Optional<Affinity> affinity = Affinity.capability().value();
    return new CorePartition(
        affinity,
        "this system cannot assign threads to cores: partitioning has no effect",
        partitioning == Partitioning.DYNAMIC,
        cores);
  }

  /** A partition of a rank's share of the cores that the calling thread may use. */
  public static CorePartition of(Partitioning partitioning, Topology topology, int rank) {
    BitSet available =
        Affinity.capability().value().map(Affinity::current).orElseGet(CorePartition::allCores);
    int[] cores = available.stream().toArray();
    int localSize = topology.localSize(rank);
    int localRank = topology.localRank(rank);
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

  /** Whether threads are placed. */
  public boolean active() {
    return affinity.isPresent();
  }

  /** Whether cores move to where they are short. */
  boolean dynamic() {
    return active() && dynamic;
  }

  /** What is done, in a line for the user. */
  public String summary() {
    return active()
        ? "core %s for the background thread, %s for the engine, %s for input%s"
            .formatted(
                cores(Role.BACKGROUND),
                cores(Role.ENGINE),
                cores(Role.INPUT),
                dynamic ? ", moving to where they are short" : "")
        : inactive;
  }

  /** The cores of a role now; none if nothing is placed. */
  public BitSet cores(Role role) {
    BitSet set = new BitSet();
    if (active()) {
      int input = Math.max(1, cores.length - inputCores);
      int begin =
          switch (role) {
            case BACKGROUND -> 0;
            case ENGINE -> 1;
            case INPUT -> input;
          };
      int end =
          switch (role) {
            case BACKGROUND -> 1;
            case ENGINE -> Math.max(2, input);
            case INPUT -> cores.length;
          };
      for (int i = begin; i < end; i++) {
        set.set(cores[i]);
      }
    }
    return set;
  }

  /** The calling thread, and those that it starts, run on the cores of this role. */
  public void enter(Role role) {
    affinity.ifPresent(thread -> thread.pin(cores(role)));
  }

  /**
   * Moves a core to where it is short, if this partition is dynamic.
   *
   * @param engine the share of the time in which the training thread ran
   * @param input the number of cores that the input threads kept busy
   * @return whether a core has moved
   */
  synchronized boolean balance(double engine, double input) {
    if (!dynamic()) {
      return false;
    }
    // Input has no time left and the engine has: it waits.
    if (input > 0.9 * inputCores && engine < 0.9 && inputCores < cores.length - 2) {
      inputCores = inputCores + 1;
      return true;
    }
    // One core less is enough by far.
    if (inputCores > 1 && input < 0.7 * (inputCores - 1)) {
      inputCores = inputCores - 1;
      return true;
    }
    return false;
  }
}
