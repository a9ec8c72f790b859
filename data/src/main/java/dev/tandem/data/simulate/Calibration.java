package dev.tandem.data.simulate;

/**
 * What requests and pages cost.
 *
 * @param origin where the figures come from, for the reader of results
 */
public record Calibration(String origin, SharedStorage storage, ReaderCosts readers) {

  /**
   * The shared filesystem of the thesis (GPFS with ten servers, nodes of 36 cores). Costs on a node
   * were measured on a machine of 2 cores; those of the storage were fitted to two speedups of the
   * thesis, see docs/reading-benchmarks.md.
   */
  public static final Calibration THESIS =
      new Calibration(
          "fitted to the thesis' cluster",
          new SharedStorage(10, 4L << 20, 0.0003, 600e6, 0.0005, 40L << 20, 0.001, 0.008, 100e9),
          new ReaderCosts(1L << 20, 0.4e-6, 0.2e-6, 4e-6, 0.05e-6, 20e-6, 4));
}
