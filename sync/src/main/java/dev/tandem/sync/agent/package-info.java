/**
 * What the background thread of a synchroniser does. {@link dev.tandem.sync.agent.SyncAgent} is
 * work in small pieces without a thread of its own, so tests run it in theirs; {@link
 * dev.tandem.sync.agent.RequestQueue} is where the threads that request meet it.
 *
 * <p>The agent is in one of two modes. {@code Negotiation} finds out in cycles what all ranks have
 * asked for; {@code PlannedTransfers} follows a plan that all ranks agreed on. All ranks change the
 * mode at the same place in the order of their collectives.
 *
 * <p>Threads: the queue may be used by all, everything else by the thread that works, which holds
 * the agent's lock. All collectives go over a communicator that belongs to the synchroniser.
 *
 * <p>{@code Note [which thread works]}: when a backward pass ends, the last buffer is complete, and
 * the thread that computed has nothing left to do but to wait for it. If the background thread had
 * to transfer it, three threads would be woken one after the other (it, that of the other rank, and
 * in the end the one that waits), 0.1 to 0.3 ms each, longer than the transfer of a small network.
 * So the waiting thread transfers what is complete itself ({@code SyncAgent.carryOut}), unless the
 * background thread is at work:
 *
 * <ul>
 *   <li>It calls the same code on the same state, under the agent's lock, so the order of
 *       collectives and the bits do not depend on which thread does it, which differs from rank to
 *       rank. It never waits for the program; negotiating and missing requests are left to the
 *       background thread, which is woken for what is left.
 *   <li>The request that completes the last buffer of a step does not wake the background thread if
 *       the program waited for the step before soon (within five milliseconds). A program that does
 *       something else first holds up nobody: the background thread looks by itself every fifth of
 *       a second, and then takes what is complete.
 *   <li>If the background thread has no core of its own, a transfer beside the computation hides
 *       nothing, and all buffers of a step are left to the program in this way, except while a
 *       request is there that the program may wait for in the middle of the step.
 *   <li>Completions are called by the thread that works; they must not wait for a thread that waits
 *       in the synchroniser. If a collective fails (a lost rank), everything that is pending ends
 *       with that failure, and so does the background thread.
 * </ul>
 */
package dev.tandem.sync.agent;
