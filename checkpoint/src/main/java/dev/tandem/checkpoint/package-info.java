/**
 * Checkpoints: the state tree of a run on disk, committed whole or not at all. Knows tensors by
 * name, not the engine that computes with them.
 *
 * <p>A checkpoint is a folder {@code step-<n>} with safetensors shards and a {@code manifest.json}
 * that carries the size and checksum of every tensor. It is written as {@code step-<n>.pending},
 * forced to disk, and renamed: what bears the final name is complete. Reading verifies before it
 * touches anything of the run.
 */
package dev.tandem.checkpoint;
