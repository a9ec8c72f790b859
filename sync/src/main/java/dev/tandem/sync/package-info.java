/**
 * Gradient synchronisation: the gradients of all ranks become their weighted sum on every rank,
 * with the same bits everywhere. Knows tensors and collectives, not the engine that made the
 * gradients.
 *
 * <p>Programs use {@link dev.tandem.sync.Synchronizer}. Its packages, each using only those before
 * it:
 *
 * <ul>
 *   <li>{@code compress}: sums with fewer bytes
 *   <li>{@code adasum}: gradients combined instead of summed
 *   <li>{@code request}: what is asked for, and what became of it
 *   <li>{@code policy}: what a user chooses
 *   <li>{@code plan}: from the graph of a step to the order and fusion of its transfers
 *   <li>{@code agent}: what the background thread does, negotiating or following a plan
 *   <li>{@code cores}: which cores the threads of a rank use
 *   <li>{@code tune}: a synchroniser that finds out which policy suits
 * </ul>
 *
 * <p>The way of a gradient: a thread that computes requests it by name ({@code RequestQueue}); the
 * background thread learns that all ranks have (by negotiation in cycles, or because a plan says
 * what comes next and all have arrived there), reduces it in place with others of its kind, and
 * calls the completion. Plain sums are those of {@link dev.tandem.sync.BlockingSynchronizer}, bit
 * by bit, whatever the policy, the order of arrival or the fusion: every element is weighted on its
 * rank and summed in rank order ({@code comm} at level {@code run}).
 *
 * <p>Why ranks never wait for each other in different transfers: {@code Note [TOPO deadlock
 * freedom]} in {@code plan.FusionPlan}; what happens when a program leaves its plan: {@code Note
 * [leaving a plan]} in {@code agent.PlannedTransfers}.
 *
 * <p>Threads: requests may come from any thread; each synchroniser has one background thread, which
 * sleeps when there is nothing to do. Memory: gradients are reduced in place, in the memory of
 * their owner, and belong to the synchroniser until their completion.
 */
package dev.tandem.sync;
