package dev.tandem.oracle.read;

/**
 * A simulated result.
 *
 * @param simulated always true: nobody shall take it for a measurement
 * @param seconds of the whole run's reading
 * @param seekSeconds of them in which records are looked for, mean over the readers
 * @param readSeconds in which their bytes come
 * @param skewSeconds in which readers wait for others
 * @param bytesNeeded by all readers
 * @param bytesRead from the servers
 * @param speedup over mode {@code lmdb} with as many processes
 */
public record SimulatedRead(
    boolean simulated,
    String database,
    String mode,
    int processes,
    int nodes,
    double seconds,
    double seekSeconds,
    double readSeconds,
    double skewSeconds,
    double bytesNeeded,
    double bytesRead,
    double speedup) {

  /** Of the bytes needed. */
  public double megabytesPerSecond() {
    return bytesNeeded / 1e6 / seconds;
  }

  SimulatedRead against(SimulatedRead baseline) {
    return new SimulatedRead(
        simulated,
        database,
        mode,
        processes,
        nodes,
        seconds,
        seekSeconds,
        readSeconds,
        skewSeconds,
        bytesNeeded,
        bytesRead,
        baseline.seconds / seconds);
  }
}
