package dev.tandem.oracle.sync;

/**
 * A simulated result.
 *
 * @param simulated always true: nobody shall take it for a measurement
 * @param input "real", or "synthetic" if no input pipeline runs
 * @param batch samples of a rank
 * @param iterationMillis mean over the iterations
 * @param slowdown of an iteration against one rank alone under the baseline with the same batch:
 *     how many times samples a second fall short of linear scaling
 * @param gainPercent of samples a second over the baseline on as many ranks
 * @param computeShare of the iteration, mean over ranks
 * @param backgroundShare in which results wait for the synchroniser: cycle, stragglers, ordering
 * @param copyShare of copies into and out of fusion buffers
 * @param transferShare of the transfers, with the wait for ranks that start them late
 * @param busyShare in which the synchroniser's thread keeps a core busy
 * @param windowShare in which the input pipeline and the engine are both busy
 * @param engineWaits of the engine for a core that another holds, an iteration and rank
 */
public record SimulatedSync(
    boolean simulated,
    String network,
    String policy,
    String scaling,
    String input,
    int ranks,
    double batch,
    double iterationMillis,
    double samplesPerSecond,
    double slowdown,
    double gainPercent,
    double computeShare,
    double backgroundShare,
    double copyShare,
    double transferShare,
    double busyShare,
    double windowShare,
    double engineWaits) {

  static SimulatedSync of(SyncRun run, Workload workload, TimeAccount account, int iterations) {
    double total = account.total;
    double iteration = total / iterations;
    return new SimulatedSync(
        true,
        run.network(),
        run.policy().code(),
        run.scaling().code(),
        run.synthetic() ? "synthetic" : "real",
        run.ranks(),
        workload.batch(),
        iteration,
        workload.samples() / iteration * 1e3,
        Double.NaN,
        Double.NaN,
        account.compute / total,
        account.background / total,
        account.copy / total,
        account.transfer / total,
        account.busy / total,
        account.window / total,
        account.engineWaits / iterations);
  }

  SimulatedSync against(double linearMillis, double baselineMillis) {
    return new SimulatedSync(
        simulated,
        network,
        policy,
        scaling,
        input,
        ranks,
        batch,
        iterationMillis,
        samplesPerSecond,
        iterationMillis / linearMillis,
        100 * (baselineMillis / iterationMillis - 1),
        computeShare,
        backgroundShare,
        copyShare,
        transferShare,
        busyShare,
        windowShare,
        engineWaits);
  }
}
