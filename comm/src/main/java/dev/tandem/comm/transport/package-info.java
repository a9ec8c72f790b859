/**
 * How bytes get from rank to rank: one small interface ({@link
 * dev.tandem.comm.transport.Transport}) and its implementations.
 *
 * <p>Arriving messages land in a {@link dev.tandem.comm.transport.Mailbox} per connection: straight
 * in the receiver's memory if it waits already, else in a buffer of their own, so that a thread
 * that reads a connection never waits for the program.
 *
 * <p>Over TCP a call of the program reads and writes its connections itself, without waiting for
 * one of them alone ({@link dev.tandem.comm.transport.TcpCall}); what nobody waits for is read by a
 * thread of the transport (see {@code Note [who reads]} in {@link
 * dev.tandem.comm.transport.LaneKeeper}). Two ranks may be connected by several lanes.
 *
 * <p>{@code Note [messages in shared memory]}: between ranks of one host a message takes the ring
 * that its sender shares with its receiver ({@link dev.tandem.comm.transport.RingLayout}), cut into
 * fragments, so that one side copies in while the other copies out, and several channels share a
 * ring. What happens there is what happens on a connection:
 *
 * <ul>
 *   <li>Each end of a ring is used by one process alone, so nothing is locked between processes,
 *       and a rank that dies or stands still leaves nothing locked.
 *   <li>A call moves its own message and never waits for one thing alone ({@link
 *       dev.tandem.comm.transport.LocalCall}). A sender without room takes in what others send to
 *       it meanwhile, so two that send to each other never block. When it is tired of waiting, it
 *       signals the receiver's keeper, a thread that takes in what no call there waits for; so a
 *       send does not depend on what the receiver's program does.
 *   <li>What may pile up so is bounded channel by channel by the {@link
 *       dev.tandem.comm.transport.Window} of the connection between the two, over which
 *       acknowledgements travel.
 *   <li>A call that waits looks for a while, then sleeps at the one {@link
 *       dev.tandem.comm.transport.WakeSignal} of its rank, for messages, for room and for losses
 *       alike.
 *   <li>Whether a rank lives, has left or is lost, its connection tells; what a rank sent before it
 *       left lies in the ring by the time its goodbye is read.
 * </ul>
 *
 * <p>{@code Note [naming the lost rank]}: when rank 0 dies, rank 1 may notice first and end, and
 * rank 2 must not take rank 1 for the lost one. So the rank that notices a loss first tells all
 * others over their connections, and only then lets the calls of its own program fail. A connection
 * is read in order: the name of the lost rank is always read before the end of the connection that
 * it explains. A failed write proves nothing by itself; it waits for the reading side's verdict.
 */
package dev.tandem.comm.transport;
