package dev.tandem.bench.read;

/**
 * One line of the results.
 *
 * @param database "cifar", "imagenet" or "small"
 * @param cache "cold" or "warm"
 * @param readAhead of the device, in KB
 * @param contender the reader. Besides the read modes and peers: "auto-noindex" is {@code auto}
 *     that has to build the index on the way, "liblmdb-nordahead" is liblmdb with MDB_NORDAHEAD,
 *     "dataloader" is py-lmdb under a PyTorch DataLoader, "loader" is {@code tandem data scan},
 *     "ceiling" is fio with O_DIRECT
 * @param rounds how often it was measured
 * @param chosen the mode that {@code auto} chose, or how often which; null for all others
 * @param megabytesPerSecond of the database file (records read times its bytes a record), median
 * @param ratioToLiblmdb of the medians of this run; null if liblmdb did not take part
 * @param ratioToCeiling likewise; null where the storage is not what is measured (warm)
 */
public record ReadRow(
    String database,
    ReadAccess access,
    String cache,
    int readAhead,
    int processes,
    String contender,
    int rounds,
    String chosen,
    double megabytesPerSecond,
    Double ratioToLiblmdb,
    Double ratioToCeiling) {}
