package dev.tandem.bench.checkpoint;

import dev.tandem.checkpoint.CheckpointOptions;

/**
 * One line of the results.
 *
 * @param model of which parameters, buffers and momentum are saved
 * @param format "shards", "shards-zstd", "safetensors", "npz", "hdf5", "torch.save", "raw" (the
 *     bytes alone, past the page cache), "raw-queued" (with as many writes under way as shards
 *     have), "memcpy" (not written at all), "none"
 * @param mode "async", "sync", "rank0", "redundant", "partner" (in memory alone); "baseline" for
 *     raw and memcpy; "training" for a training without checkpoints
 * @param ranks that save together
 * @param bytes of the files; for memcpy of the state
 * @param stallMillis that training stands still, median of the rounds
 * @param writeSeconds that writing takes until everything is committed, without the copy of a save
 *     in the background, median of the rounds
 * @param megabytesPerSecond of the state's bytes by writeSeconds; one MB is 10^6 bytes
 * @param overheadPercent of training time, where a training was measured or computed, else 0
 * @param overheadLowPercent where the 95% interval of a measured overhead begins, else 0
 * @param overheadHighPercent where it ends
 * @param backgroundCpuMillis that the threads of a save in the background have computed besides the
 *     copy, where a training was measured, median of the rounds, else 0
 * @param projected computed from measured rows, not measured
 * @param rounds over which the medians are taken
 */
public record CheckpointRow(
    String model,
    String format,
    String mode,
    int ranks,
    long bytes,
    double stallMillis,
    double leastStallMillis,
    double mostStallMillis,
    double writeSeconds,
    double leastWriteSeconds,
    double mostWriteSeconds,
    double megabytesPerSecond,
    double overheadPercent,
    double overheadLowPercent,
    double overheadHighPercent,
    double backgroundCpuMillis,
    boolean projected,
    int rounds,
    String machine,
    Study study) {

  /**
   * How and where it was saved, and what else was seen.
   *
   * @param place "threads" of one process that share a disk, "processes", or "namespaces": a
   *     process in each of two network namespaces, connected by TCP
   * @param determinism "fast" or "run" where a training of several ranks was measured, else empty
   * @param queueDepth writes that are under way at a time, each of {@link
   *     CheckpointOptions#BLOCK_BYTES}; 0 where others decide
   * @param restoreSeconds in which all ranks had read the save back, median; 0 where not measured
   * @param turnSeconds of ten training steps with all that belongs to them, median, else 0
   * @param sameBits of the parameters in training again: "yes", "no", or empty where not compared
   */
  public record Study(
      String place,
      String determinism,
      int queueDepth,
      double restoreSeconds,
      double turnSeconds,
      String sameBits) {

    /** Of one save without training. */
    static Study ofSave(String place, int queueDepth, double restoreSeconds) {
      return new Study(place, "", queueDepth, restoreSeconds, 0, "");
    }

    /** Of a training. */
    static Study ofTraining(String place, String determinism, double turnSeconds, String sameBits) {
      int depth = CheckpointOptions.QUEUE_DEPTH;
      return new Study(place, determinism, depth, 0, turnSeconds, sameBits);
    }
  }
}
