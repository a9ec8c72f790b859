/**
 * What checkpoints cost: our shards, written in the background and not, by one rank, two and four,
 * against what frameworks do (rank 0 alone, a whole copy by every rank) and other formats (NPZ,
 * HDF5, zstd, torch.save), and against what the disk and the memory could do at best.
 *
 * <p>The states are those of real networks with their momentum. In every round all contenders save
 * the same state, one after the other, in an order that changes; before each the disk has nothing
 * left to write. The ranks are threads of this process, processes, and processes in two network
 * namespaces, which save and restore; all share one disk. Then trainings are compared: without and
 * with checkpoints, and both at two levels of determinism. Only {@link
 * dev.tandem.bench.checkpoint.Projection} is computed, not measured, and its rows say so.
 */
package dev.tandem.bench.checkpoint;
