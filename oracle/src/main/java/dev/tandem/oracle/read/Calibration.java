package dev.tandem.oracle.read;

/**
 * What requests and pages cost.
 *
 * @param origin where the figures come from, for the reader of results
 */
public record Calibration(String origin, SharedStorage storage, ReaderCosts readers) {

  /**
   * The shared filesystem of the thesis (GPFS with ten servers), fitted to its speedups with 4,608
   * readers of CIFAR10-Large; docs/simulation.md says what follows from that and what does not.
   */
  public static final Calibration THESIS =
      new Calibration(
          "fitted to the thesis' cluster",
          new SharedStorage(10, 1L << 20, 30e-6, 160e6, 50e-6, 32L << 20, 0.005, 0.015, 100e9),
          new ReaderCosts(32L << 10, 0.5e-6, 0.2e-6, 20e-6, 0.05e-6, 60e-6, 16));

  /** The same storage with what pages cost on another machine. */
  Calibration with(String measured, double mappedPageSeconds, double requestedPageSeconds) {
    return new Calibration(
        origin + "; " + measured,
        storage,
        new ReaderCosts(
            readers.windowBytes(),
            mappedPageSeconds,
            requestedPageSeconds,
            readers.wakeSeconds(),
            readers.stepSeconds(),
            readers.messageSeconds(),
            readers.requestsInFlight()));
  }
}
