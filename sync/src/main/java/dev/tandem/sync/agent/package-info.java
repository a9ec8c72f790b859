/**
 * What the background thread of a synchroniser does. {@link dev.tandem.sync.agent.SyncAgent} is
 * work in small pieces without a thread of its own, so tests run it in theirs; {@link
 * dev.tandem.sync.agent.Intake} is where the threads that request meet it.
 *
 * <p>The agent is in one of two modes. {@code Negotiation} finds out in cycles what all ranks have
 * asked for; {@code PlannedTransfers} follows a plan that all ranks agreed on. All ranks change the
 * mode at the same place in the order of their collectives.
 *
 * <p>Threads: the intake may be used by all, everything else by whoever has the helm, which is the
 * background thread unless it has lent it, but for transfers that run at once, each in a thread of
 * {@code Lanes}. All collectives go over communicators that belong to the synchroniser, one for
 * each of these threads.
 *
 * <p>{@code Note [who drives]}: when a backward pass ends, the last buffer is complete, and the
 * thread that computed has nothing left to do but to wait for it. If the background thread had to
 * transfer it, three threads would be woken one after the other (it, that of the other rank, and in
 * the end the one that waits), 0.1 to 0.3 ms each, longer than the transfer of a small network. So
 * the waiting thread does that work itself ({@code SyncAgent.carryOut}):
 *
 * <ul>
 *   <li><b>When.</b> The helm is lent only while the background thread sleeps in {@code
 *       Intake.awaitBuffer}, between two transfers, and only if the awaited buffer of a plan is
 *       complete. The borrower drives as long as its results are missing and the next buffer is
 *       complete; it never waits for the program, which is what it belongs to. Everything else,
 *       such as negotiating, losing patience with a missing request, or the next step's buffers, is
 *       left to the background thread. If that drives when somebody begins to wait, it finishes:
 *       handing over would wake as many threads.
 *   <li><b>The same order on all ranks.</b> A borrower calls the same {@code doWork} on the same
 *       state as the background thread would have. Which thread does it differs from rank to rank
 *       and does not show in collectives or bits.
 *   <li><b>One at a time.</b> Whose turn it is is guarded by the intake's lock, which also hands
 *       over what was written before. The background thread that wakes up and finds that the number
 *       of the turn has changed knows that nothing is as it was, waits until the helm is handed
 *       back, and looks anew.
 *   <li><b>No lost wake-up.</b> What would have woken the background thread while the helm is lent
 *       is looked at by the borrower, with the lock held, when it hands the helm back: a request
 *       that waits for others, a stray, a shutdown, joining, a proposal, the end of the plan. If
 *       there is nothing, the background thread sleeps on, and costs nothing.
 *   <li><b>No deadlock.</b> A borrower waits for other ranks only inside collectives, where the
 *       background thread would wait for them, too; whoever drives there comes as it came before
 *       ({@code Note [TOPO deadlock freedom]}). Other threads that wait for results, several may,
 *       sleep; what is theirs and not done when the borrower is done, the background thread is
 *       woken for.
 *   <li><b>Who is expected.</b> A thread that is woken while another computes on the same core
 *       costs that 0.1 to 0.3 ms, too. So the request that completes the last buffer of a step does
 *       not wake the background thread if the program waited for the step before soon (within five
 *       milliseconds; a backward pass frees its activations behind the last gradient) and can be
 *       expected to borrow the helm. But the program may do something else first, for which other
 *       ranks must have their sums: so nobody relies on it. The background thread is left asleep
 *       only while it naps, that is, wakes up by itself within a fifth of a second; if the buffer
 *       is still there then, it takes it. A program that is late is not expected in the next step,
 *       and one that could not borrow the helm is no longer expected in this one.
 *   <li><b>Deferring.</b> If the background thread has no core of its own, a transfer beside the
 *       computation hides nothing: it takes the program's core, and because two ranks take turns in
 *       a transfer, in many small pieces with a change of threads each. So then ({@code Overlap})
 *       the program is expected to carry out not only the last buffer but all of them, when the
 *       step ends. The same holds as for the last: the background thread, which naps, takes what is
 *       left for longer than a second since the last request; and nothing is deferred while a
 *       request is there that the program may wait for in the middle of the step. Each rank decides
 *       for itself, since that changes neither the order of transfers nor their bits.
 *   <li><b>Completions</b> are told by whoever drives; they must not wait for a thread that waits
 *       in the synchroniser, which never was possible for those of its own step.
 *   <li><b>Failures.</b> If a collective fails under the borrower (a lost rank), {@code doWork}
 *       ends everything that is pending with that failure, as in the background thread; the
 *       borrower hands the helm back, throws what its results tell, and the background thread ends.
 *       Closing the synchroniser wakes the background thread, which waits for the helm; the
 *       borrower finds the shutdown before its next transfer, tells all ranks, and everything ends
 *       as aborted. An interrupted thread does not borrow the helm, since transports must not be
 *       interrupted; one that is interrupted inside finishes, and stays interrupted.
 *   <li><b>Waiting awake.</b> While a thread of the program waits for results, whoever drives looks
 *       out for other ranks for a while before it sleeps ({@code Vigil}); while the program
 *       computes, it sleeps at once.
 * </ul>
 */
package dev.tandem.sync.agent;
