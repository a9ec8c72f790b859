package dev.tandem.oracle.read;

import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Simulates all modes for several numbers of processes. Deterministic by seed; for any thread. */
public final class ReadSimulator {

  private final Calibration calibration;
  private final int processesPerNode;
  private final Seed seed;

  public ReadSimulator(Calibration calibration, int processesPerNode, Seed seed) {
    if (processesPerNode < 1) {
      throw new IllegalArgumentException(
          "processes per node must be at least 1, not " + processesPerNode);
    }
    this.calibration = calibration;
    this.processesPerNode = processesPerNode;
    this.seed = seed;
  }

  /** All modes with this number of processes; speedups are over the first, {@code lmdb}. */
  public List<SimulatedRead> run(SimulatedWorkload workload, int processes) {
    List<SimulatedRead> results = new ArrayList<>();
    for (SimulatedMode mode : SimulatedMode.values()) {
      SimulatedRead result = run(workload, mode, processes);
      results.add(result.against(results.isEmpty() ? result : results.getFirst()));
    }
    return results;
  }

  /** One mode; {@code stag} with the group of nodes that is best, as in the thesis. */
  private SimulatedRead run(SimulatedWorkload workload, SimulatedMode mode, int processes) {
    int nodes = (processes + processesPerNode - 1) / processesPerNode;
    return IntStream.iterate(1, group -> group <= nodes, group -> group * 2)
        .filter(group -> mode == SimulatedMode.STAG || group == 1)
        .mapToObj(
            group ->
                new ReadSimulation(
                        calibration, workload, mode, processes, processesPerNode, group, seed)
                    .run())
        .min(Comparator.comparingDouble(SimulatedRead::seconds))
        .orElseThrow();
  }
}
