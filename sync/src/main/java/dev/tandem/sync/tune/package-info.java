/**
 * Finds out which policy, cycle time and fusion cap suit a training on a machine, in its first
 * steps, and keeps the answer for the next run. {@link dev.tandem.sync.tune.AutoSynchronizer} is a
 * synchroniser that changes itself; all ranks change at the same step. The sums have the same bits
 * whatever is chosen, so what is found depends on the timing and what is trained does not.
 *
 * <p>Threads: as those of a synchroniser. Files: one small text file for each kind of training,
 * written by rank 0 alone.
 */
package dev.tandem.sync.tune;
