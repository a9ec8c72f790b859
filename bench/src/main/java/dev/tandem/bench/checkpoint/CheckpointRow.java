package dev.tandem.bench.checkpoint;

/**
 * One line of the results.
 *
 * @param model of which parameters, buffers and momentum are saved
 * @param format "shards", "shards-zstd", "safetensors", "npz", "hdf5", "torch.save", "raw" (the
 *     bytes alone, past the page cache), "memcpy" (not written at all), "none"
 * @param mode "async", "sync", "rank0", "redundant"; "baseline" for raw and memcpy; "training" for
 *     a training without checkpoints
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
    String machine) {}
