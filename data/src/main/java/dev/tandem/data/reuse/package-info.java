/**
 * Batches recomposed from samples that are in memory already. A {@link
 * dev.tandem.data.reuse.ReusePlan} says how many steps' samples are kept and how often they are
 * served again, recomposed within a process or between the processes of a node, a switch, a rack or
 * the whole machine; a {@link dev.tandem.comm.topology.ClusterMap} says which host is where.
 *
 * <p>The way of a round: the samples of some steps are read and served as the order has them (the
 * first pass); then, pass by pass, the ranks of every group shuffle what they hold among each
 * other, by a permutation that all compute, and serve it again, augmented differently. Then the
 * next steps are read.
 *
 * <p>Promises: in every pass of a round exactly the samples of its first pass are served, each once
 * over all ranks; what is served is a function of the seed, the plan and the places of the ranks;
 * any step is found without going through those before it. It is not the same for different numbers
 * of ranks, because what a group can recompose depends on what its processes hold.
 *
 * <p>The price is a shorter reuse distance: samples come again after about a round instead of an
 * epoch, which may cost accuracy. The {@link dev.tandem.data.reuse.ReuseReport} has it beside the
 * bytes read and moved, so that it can be weighed.
 *
 * <p>Threads: exchanges run in the background on communicators of their own, started by the
 * consumer in the order of the program. Memory: a round's records of the rank, and the next round's
 * while it is read ahead, on the garbage collector's heap.
 */
package dev.tandem.data.reuse;
