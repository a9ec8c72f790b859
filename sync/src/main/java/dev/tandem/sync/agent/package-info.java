/**
 * What the background thread of a synchroniser does. {@link dev.tandem.sync.agent.SyncAgent} is
 * work in small pieces without a thread of its own, so tests run it in theirs; {@link
 * dev.tandem.sync.agent.Intake} is where the threads that request meet it.
 *
 * <p>The agent is in one of two modes. {@code Negotiation} finds out in cycles what all ranks have
 * asked for; {@code PlannedTransfers} follows a plan that all ranks agreed on. All ranks change the
 * mode at the same place in the order of their collectives.
 *
 * <p>Threads: the intake may be used by all, everything else by the background thread alone, but
 * for transfers that run at once, each in a thread of {@code Lanes}. All collectives go over
 * communicators that belong to the synchroniser, one for each of these threads.
 */
package dev.tandem.sync.agent;
