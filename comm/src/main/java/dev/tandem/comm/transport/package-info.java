/**
 * How bytes get from rank to rank: one small interface ({@link
 * dev.tandem.comm.transport.Transport}) and its implementations.
 *
 * <p>Arriving messages land in a {@link dev.tandem.comm.transport.Mailbox} per connection: straight
 * in the receiver's memory if it waits already, else in a buffer of their own, so that whoever
 * reads a connection never waits for the program.
 *
 * <p>Over TCP a call of the program reads and writes its connections itself, without waiting for
 * one of them alone ({@link dev.tandem.comm.transport.TcpCall}); what nobody waits for is read by a
 * thread of the transport (see {@code Note [who reads]} in {@link
 * dev.tandem.comm.transport.LaneKeeper}). Two ranks may be connected by several lanes.
 *
 * <p>{@code Note [naming the lost rank]}: when rank 0 dies, rank 1 may notice first and end, and
 * rank 2 must not take rank 1 for the lost one. So whoever notices a loss first tells all others
 * over their connections, and only then lets the calls of its own program fail. A connection is
 * read in order: the name of the lost rank is always read before the end of the connection that it
 * explains. A failed write proves nothing by itself; it waits for the reading side's verdict.
 */
package dev.tandem.comm.transport;
